/** Clients that submit while the server is killed and restarted, and remember every answer. */
import { setTimeout as delay } from "node:timers/promises"
import * as ServerProcess from "./ServerProcess.ts"

export interface Accepted {
  readonly id: string
  readonly input: unknown
  /** The request as it ended. */
  readonly end: { readonly status: string; readonly billingStatus: string; readonly input: unknown }
}

interface Work {
  readonly path: string
  readonly input: object
}

/** The inputs that clients submit; equal for equal seeds. */
export type Works = (random: (below: number) => number, serial: number) => Work

export interface KillOptions {
  readonly directory: string
  readonly cycles: number
  readonly clients: number
  readonly maxAcknowledged: number
  readonly seed: number
  /** By default one of every kind. */
  readonly works?: Works
  /** The server's settings. */
  readonly env?: Readonly<Record<string, string>>
}

/** A small random generator (mulberry32), so that a seed repeats its choices. */
export const randomFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const ofEveryKind: Works = (random, serial) => {
  const kinds = [
    { path: "/sandbox/echo", input: { value: { serial } } },
    { path: "/sandbox/echo", input: { value: serial, delayMs: random(200) } },
    { path: "/sandbox/flaky", input: { failures: random(2) } },
    { path: "/sandbox/slow", input: { seconds: 0.1 } },
    { path: "/sandbox/echo", input: { value: "x".repeat(70_000) } }
  ] as const
  return kinds[random(kinds.length)] ?? kinds[0]
}

/** Waits between tries, because a refused connection costs as much CPU time as an accepted one. */
const retryDelayMs = 100

/** The answer of `attempt`, retried until a server answers. */
const persist = async <A>(attempt: () => Promise<A | undefined>): Promise<A> => {
  for (;;) {
    const answer = await attempt().catch(() => undefined)
    if (answer !== undefined) return answer
    await delay(retryDelayMs)
  }
}

/** Submits under an idempotency key until the server answers, as a client that survives a crash does. */
const submit = (url: string, path: string, input: unknown, key: string) => {
  const sent = JSON.stringify(input)
  return persist(async () => {
    const response = await fetch(url + path, {
      method: "POST",
      headers: { ...ServerProcess.authorization, "content-type": "application/json", "idempotency-key": key },
      body: sent
    })
    const body = (await response.json()) as { readonly request_id: string }
    if (response.status !== 200)
      throw new Error(`submit answered ${response.status}: ${JSON.stringify(body)}`)
    return body.request_id
  })
}

const endOf = (url: string, id: string): Promise<Accepted["end"]> =>
  persist(async () => {
    const response = await fetch(`${url}/requests/${id}`, { headers: ServerProcess.authorization })
    const body = (await response.json()) as Accepted["end"] & { readonly error?: unknown }
    if (response.status !== 200) return { ...body, status: `HTTP ${response.status}` }
    return body.status === "IN_QUEUE" || body.status === "IN_PROGRESS" ? undefined : body
  })

/**
 * Kills and restarts the server `cycles` times under load, then waits until every accepted request has ended.
 * `readyMs`: how long starts took; `bareMs`: how long an empty process took at the same time.
 */
export const killAndRestart = async ({
  clients,
  cycles,
  directory,
  env = {},
  maxAcknowledged,
  seed,
  works = ofEveryKind
}: KillOptions) => {
  const random = randomFrom(seed)
  const options = { dataDirectory: directory, port: await ServerProcess.freePort(), env }
  const acknowledged: Array<{ readonly id: string; readonly input: unknown }> = []
  const readyMs: Array<number> = []
  const bareMs: Array<number> = []
  let isOver = false
  let wake = () => {}

  const start = async () => {
    const began = performance.now()
    const server = await ServerProcess.start(options)
    readyMs.push(performance.now() - began)
    return server
  }
  const untilAcknowledged = (count: number) =>
    new Promise<void>((resolve) => {
      wake = () => acknowledged.length >= count && resolve()
      wake()
    })
  const client = async (url: string, name: number) => {
    for (let serial = 0; !isOver; serial++) {
      const { path, input } = works(random, serial)
      const id = await submit(url, path, input, `${seed}-${name}-${serial}`)
      acknowledged.push({ id, input })
      wake()
    }
  }

  let server = await start()
  try {
    const loads = Array.from({ length: clients }, (_, name) => client(server.url, name))
    for (let cycle = 0; cycle < cycles; cycle++) {
      await untilAcknowledged(acknowledged.length + 1 + random(maxAcknowledged))
      await server.kill("SIGKILL")
      if (cycle % 5 === 0) bareMs.push(await ServerProcess.bareStartMs())
      server = await start()
    }
    isOver = true
    await Promise.all(loads)
    const accepted = await Promise.all(
      acknowledged.map(async ({ id, input }) => ({ id, input, end: await endOf(server.url, id) }))
    )
    await server.kill("SIGTERM")
    return { accepted, readyMs, bareMs }
  } finally {
    isOver = true
    await server.kill("SIGKILL")
  }
}
