import { isDeepStrictEqual } from 'node:util'
import type { Launcher } from '../launcher.ts'
import {
  readAgentInfo,
  readFilesystems,
  readFreezeStatus,
  readHostname,
  readInterfaces,
  readLoad,
  readOsInfo,
  readTimezone,
  readUsers,
} from './answers.ts'
import { agentCommand } from './command.ts'
import type { AgentFacts } from './facts.ts'
import type { GuestFacts } from '../domain-report.ts'

/** Asks the guest's agent, again and again, as long as it is connected. */
export type AgentPoll = {
  /** Begins with everything at once when the agent can be asked, and stops when it cannot. */
  reachable(reachable: boolean): void
  close(): void
}

type Learned = { readonly agent?: AgentFacts; readonly facts?: GuestFacts }

/** What is asked for together, how often at most, and what the answers are for. */
type Question = { readonly intervalMs: number; readonly ask: (launcher: Launcher) => Promise<Learned> }

const secondAskMs = 10_000
const answerSeconds = 5

/** @param onChange something that the domain's report holds has changed */
export function pollAgent(launcher: Launcher, onChange: () => void): AgentPoll {
  const { log } = launcher
  let timers = new Map<Question, NodeJS.Timeout>()
  let turn: object | undefined

  const ask = async (question: Question, waitMs: number): Promise<void> => {
    const mine = turn
    if (!mine) return
    try {
      const learned = await question.ask(launcher)
      if (mine === turn) learn(launcher, learned, onChange)
    } catch (error) {
      // An agent may lack a command, and a frozen guest answers few of them.
      log.debug({ error }, "the guest's agent did not answer a question")
    }
    if (mine !== turn) return
    const next = Math.min(waitMs, question.intervalMs)
    timers.set(
      question,
      setTimeout(() => void ask(question, waitMs * 2), next),
    )
  }
  const stop = (): void => {
    turn = undefined
    for (const timer of timers.values()) clearTimeout(timer)
    timers = new Map()
  }
  return {
    reachable(reachable) {
      if (reachable === (turn !== undefined)) return
      stop()
      if (!reachable) return
      turn = {}
      for (const question of questions(launcher.options)) void ask(question, secondAskMs)
    },
    close: stop,
  }
}

function learn({ state }: Launcher, learned: Learned, onChange: () => void): void {
  state.agent = { ...state.agent, ...learned.agent }
  const facts = { ...state.facts, ...learned.facts }
  if (isDeepStrictEqual(facts, state.facts)) return
  state.facts = facts
  onChange()
}

function questions(options: Launcher['options']): readonly Question[] {
  return [
    { intervalMs: options.qemuAgentVersionInterval, ask: async (launcher) => ({ agent: await version(launcher) }) },
    { intervalMs: options.qemuAgentSysInterval, ask: system },
    { intervalMs: options.qemuAgentSysInterval, ask: interfaces },
    { intervalMs: options.qemuAgentSysInterval, ask: load },
    { intervalMs: options.qemuAgentUserInterval, ask: users },
    { intervalMs: options.qemuAgentFileInterval, ask: filesystems },
    { intervalMs: options.qemuFsfreezeStatusInterval, ask: freezeStatus },
  ]
}

const answer = (launcher: Launcher, execute: string): Promise<unknown> =>
  agentCommand(launcher, { execute }, answerSeconds)

async function version(launcher: Launcher): Promise<AgentFacts> {
  return readAgentInfo(await answer(launcher, 'guest-info'))
}

async function system(launcher: Launcher): Promise<Learned> {
  const osInfo = readOsInfo(await answer(launcher, 'guest-get-osinfo'))
  const hostname = readHostname(await answer(launcher, 'guest-get-host-name'))
  const timezone = readTimezone(await answer(launcher, 'guest-get-timezone'))
  return { facts: { osInfo }, agent: { hostname, timezone } }
}

async function interfaces(launcher: Launcher): Promise<Learned> {
  return { facts: { interfaces: readInterfaces(await answer(launcher, 'guest-network-get-interfaces')) } }
}

async function load(launcher: Launcher): Promise<Learned> {
  return { agent: { load: readLoad(await answer(launcher, 'guest-get-load')) } }
}

async function users(launcher: Launcher): Promise<Learned> {
  return { agent: { users: readUsers(await answer(launcher, 'guest-get-users')) } }
}

async function filesystems(launcher: Launcher): Promise<Learned> {
  return { agent: { filesystems: readFilesystems(await answer(launcher, 'guest-get-fsinfo')) } }
}

async function freezeStatus(launcher: Launcher): Promise<Learned> {
  return { facts: { fsFreezeStatus: readFreezeStatus(await answer(launcher, 'guest-fsfreeze-status')) } }
}
