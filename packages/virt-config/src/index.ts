export { ClusterConfig, type ClusterConfigOptions } from './cluster-config.ts'
export { mergeConfiguration } from './merge-configuration.ts'
export { InvalidConfiguration } from './invalid-configuration.ts'
export { featureGates, isGateEnabled, isKnownGate, type FeatureGateName, type GateState } from './feature-gates.ts'
