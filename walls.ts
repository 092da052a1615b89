/**
 * Who may import whom. The rows stand in layer order: a package names only rows above its own,
 * so packages cannot form a cycle. `pnpm generate` makes the linter's rules from this table.
 */
export const mayImport = {
  // words
  api: [],
  domain: [],
  service: [],
  libvirt: [],
  linux: [],
  // knowledge
  vmispec: ['api'],
  instancetype: ['api'],
  scheduling: ['api'],
  kubecli: ['api'],
  'handler-launcher-com': ['api'],
  libvmi: ['api'],
  // machinery
  controller: ['api', 'kubecli', 'service'],
  'virt-config': ['api', 'controller'],
  // services
  'virt-api': ['api', 'service', 'kubecli', 'controller', 'virt-config', 'vmispec', 'instancetype'],
  'virt-controller': ['api', 'service', 'kubecli', 'controller', 'virt-config', 'vmispec', 'instancetype'],
  scheduler: ['api', 'service', 'kubecli', 'controller', 'scheduling'],
  'virt-handler': [
    'api',
    'service',
    'linux',
    'kubecli',
    'controller',
    'virt-config',
    'vmispec',
    'domain',
    'handler-launcher-com',
  ],
  'virt-launcher': ['api', 'service', 'linux', 'vmispec', 'domain', 'libvirt', 'handler-launcher-com'],
  render: ['api', 'virt-config'],
  virtctl: ['api', 'kubecli', 'vmispec', 'scheduling', 'render'],
  // tools
  'container-disk': [],
  'dev-cluster': [],
  images: ['dev-cluster'],
  demo: ['api', 'kubecli', 'dev-cluster', 'images'],
  bench: ['api', 'service', 'kubecli', 'vmispec', 'handler-launcher-com', 'controller', 'dev-cluster', 'images'],
  e2e: ['api', 'kubecli', 'libvmi', 'dev-cluster', 'images'],
} as const satisfies Record<string, readonly string[]>

export type Package = keyof typeof mayImport

/**
 * Second doors, `@kubevirt-ts/<package>/<door>`: pure parts of a package that bring no client, file access or native
 * code along. Only the packages named here may come in by one.
 */
export const pureDoors: Readonly<Record<string, readonly Package[]>> = {
  'service/error': ['virt-controller', 'virt-launcher'],
  'service/lane': ['libvirt'],
  'controller/label-selector': ['virt-api'],
  'controller/owner': ['virt-controller'],
  'kubecli/api-error': ['virt-api'],
  'virt-api/render': ['render'],
  'virt-controller/render': ['render'],
  'virt-launcher/render': ['render'],
}

/** Third-party packages that only their owners may import. */
export const ownedBy: Readonly<Record<string, readonly Package[]>> = {
  koffi: ['libvirt', 'linux'],
  '@grpc/grpc-js': ['handler-launcher-com', 'virt-handler', 'bench'],
  '@peculiar/x509': ['dev-cluster'],
  fastify: ['virt-api'],
  'prom-client': ['service'],
  pino: ['service'],
}

/** Folders inside a package that may not import each other: `from` may not reach into `to`. */
export const folderWalls: readonly {
  readonly package: Package
  readonly from: string
  readonly to: readonly string[]
}[] = [
  { package: 'virt-controller', from: 'services', to: ['watch'] },
  { package: 'virt-api', from: 'rest', to: ['webhooks'] },
  { package: 'virt-api', from: 'webhooks', to: ['rest'] },
  { package: 'virt-handler', from: 'host', to: ['vm', 'launcher-clients', 'notify-server', 'node', 'rest'] },
  { package: 'scheduler', from: 'framework', to: ['plugins', 'profiles', 'queue', 'cache', 'loop', 'extender'] },
  { package: 'scheduler', from: 'plugins', to: ['profiles', 'queue', 'cache', 'loop', 'extender'] },
  { package: 'virt-launcher', from: 'virtwrap/converter', to: ['virtwrap/operations', 'cmd-server', 'daemons'] },
]
