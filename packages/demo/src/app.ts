import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createClient, loadConfig, type KubeClient } from '@kubevirt-ts/kubecli'
import {
  clusterDown,
  clusterUp,
  defaultCluster,
  ensureTools,
  progressLines,
  runSteps,
  type Progress,
  type Step,
} from '@kubevirt-ts/dev-cluster'
import { releaseBuilds } from '@kubevirt-ts/images'
import { commandsFolder, nextCommands, writeCommands } from './commands.ts'
import { help, parseDemoOptions, type DemoOptions } from './options.ts'
import { installRelease, productNamespace, waitUntilAvailable } from './steps/install.ts'
import { deliverImages, prepareImages, productTag } from './steps/images.ts'
import { usesEmulation } from './steps/emulation.ts'
import { showConsole } from './steps/show-console.ts'
import { startAnew } from './steps/start-vm.ts'
import { chooseTarget, type Target } from './target.ts'
import { demoVm, vmName, vmNamespace } from './vm.ts'

const say = (text: string): void => void process.stdout.write(text)

/** The whole demo. @throws Failure that says which step, which command, why, and what to do */
export async function runDemo(argv: readonly string[]): Promise<void> {
  const options = parseDemoOptions(argv, process.env)
  if (options === 'help') return say(help)
  if (options.down) return takeDown()
  const started = performance.now()
  const target = await chooseTarget(options)
  const progress = progressLines(say, process.stdout.isTTY)

  await prepare(target, options, progress)
  const client = createClient(await loadConfig({ kubeconfig: target.kubeconfig }), { userAgent: 'kubevirt-ts-demo' })
  try {
    const images = await deliverImages(target, progress)
    await runSteps(productSteps(target, options, client, images), progress)
    say(`\n--- console of VM ${vmName} ---\n`)
    await showConsole(client, vmNamespace, vmName, say)
  } finally {
    await client.close()
  }
  await sayWhatNext(target, (performance.now() - started) / 1000)
}

/** Cluster and images. An own cluster takes its time, so that the images are made beside it. */
async function prepare(target: Target, { nodes }: DemoOptions, onProgress: Progress): Promise<void> {
  const images = (signal?: AbortSignal) => prepareImages(onProgress, signal)
  if (target.own) {
    await clusterUp({ name: defaultCluster, nodes, onProgress, meanwhile: images })
  } else {
    await ensureTools(join(dirname(commandsFolder(false)), 'tools.log'))
    await images()
  }
}

function productSteps(target: Target, options: DemoOptions, client: KubeClient, images: string): readonly Step[] {
  let useEmulation = true
  return [
    {
      title: 'KVM probed',
      hint: 'boots a small guest',
      run: async () => {
        useEmulation = target.own ? await usesEmulation() : !options.kvm
        return useEmulation ? 'guests run by software emulation' : 'guests run with KVM'
      },
    },
    { title: 'kubevirt installed', run: () => installRelease({ target, tag: productTag, useEmulation, images }) },
    { title: 'kubevirt available', run: () => waitUntilAvailable(target) },
    {
      title: `VM ${vmName} running`,
      run: async () => `on node ${(await startAnew(client, demoVm(target.registry, productTag))).status?.nodeName}`,
    },
  ]
}

async function sayWhatNext(target: Target, seconds: number): Promise<void> {
  const folder = await writeCommands(target)
  say(`\n--- ${seconds.toFixed(0)} s. Try next: ---\n`)
  for (const [command, why] of nextCommands(folder)) say(`  ${command}\n      ${why}\n`)
}

async function takeDown(): Promise<void> {
  const progress = progressLines(say, process.stdout.isTTY)
  await clusterDown(defaultCluster, progress)
  await releaseBuilds()
  for (const own of [true, false]) await rm(dirname(commandsFolder(own)), { recursive: true, force: true })
  say(
    `The demo is gone. Caches are kept; a cluster that was given still has the release: helm -n ${productNamespace} uninstall kubevirt\n`,
  )
}
