import type { KubeClient } from '@kubevirt-ts/kubecli'
import { Failure } from '@kubevirt-ts/dev-cluster'

const limitMs = 120_000
const enterEveryMs = 3_000
const prompt = /login: /

/** Reads a VM's serial console live and writes it on, until the login prompt stands there. */
export async function showConsole(
  client: KubeClient,
  namespace: string,
  name: string,
  write: (text: string) => void,
): Promise<void> {
  const stream = await client.upgrade(
    `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachineinstances/${name}/console`,
  )
  let screen = ''
  // A guest that printed its prompt before anybody listened prints it again on Enter.
  const enter = setInterval(() => stream.send(Buffer.from('\n')), enterEveryMs)
  try {
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(noPrompt(name, screen)), limitMs)
      const settle = (end: () => void) => {
        clearTimeout(late)
        end()
      }
      stream.on('message', (data: Buffer) => {
        const text = data.toString('utf8')
        screen += text
        write(text)
        if (prompt.test(screen)) settle(resolve)
      })
      stream.on('error', (error) => settle(() => reject(error)))
      stream.on('close', () => settle(() => reject(noPrompt(name, screen))))
    })
  } finally {
    clearInterval(enter)
    stream.terminate()
  }
}

const noPrompt = (name: string, screen: string): Failure =>
  new Failure('NoLoginPrompt', `the console of VM ${name} showed no login prompt within ${limitMs / 1000} s`, {
    output: screen.slice(-800),
    remedy: `look at: kubectl logs -l vm.kubevirt.io/name=${name} -c guest-console-log`,
  })
