import { ensure, eventually } from '../../framework/eventually.ts'
import { killHandler } from '../../framework/faults.ts'
import { getVmi, kubectl } from '../../framework/kubectl.ts'
import { namespace as installed } from '../../framework/product.ts'
import { scenario } from '../../framework/scenario.ts'
import { Console } from '../../framework/virtctl.ts'

/** A user at the console of a guest that runs already. */
export function consoleScenario(namespace: string, name: string): void {
  scenario('a console goes on when virt-api and virt-handler are started anew, and says so', async () => {
    const node = (await getVmi(namespace, name)).status?.nodeName
    ensure(node, 'the guest is on a node')
    await using console = new Console(namespace, name)
    await console.logIn('root', 'kubevirt')
    const restarts = [
      () => kubectl('delete', 'pod', '-n', installed, '-l', 'kubevirt.io=virt-api', '--timeout=60s'),
      () => killHandler(node),
    ]
    for (const [at, restart] of restarts.entries()) {
      await restart()
      await eventually('virtctl is connected again', async () => {
        const again = console.told.split('Connected again.').length - 1
        ensure(again > at, console.told)
      })
      await console.ask(`echo restart-$((${at}+1))`, new RegExp(`restart-${at + 1}\\r?$`, 'm'))
    }
  })
}
