export { createLogger, setVerbosity, type Logger, type LoggerOptions } from './log.ts'
export {
  defineOptions,
  parseOptions,
  helpText,
  type OptionDefinition,
  type OptionDefinitions,
  type OptionValues,
  type ParseTerminal,
} from './options.ts'
export { Counter, Gauge, Histogram, Registry, createRegistry } from './metrics.ts'
export {
  serveEndpoints,
  type EndpointOptions,
  type Endpoints,
  type RouteHandler,
  type RouteReply,
} from './endpoints.ts'
export {
  keepServerCertificate,
  staticCertificate,
  tlsOptionsFor,
  watchCertificate,
  type Certificate,
  type CertificateFiles,
  type CertificateSource,
  type ServerTlsOptions,
} from './certificates.ts'
export { profilerRoutes } from './profiler.ts'
export { selfSigned } from './self-signed.ts'
export { Lane, Lanes } from './lane.ts'
export { runService, type RunOptions, type RunningService, type ServiceProcess } from './run.ts'
export { VirtError, reasonOf } from './error.ts'
