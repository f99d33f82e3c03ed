/** Clients that submit to all nodes, whatever happens to them, and remember what was acknowledged. */
import { setTimeout as delay } from "node:timers/promises"
import { Effect, type Scope } from "effect"
import type { Node } from "#test/support/Nodes.ts"
import * as Until from "#test/support/Until.ts"
import * as Calls from "./Calls.ts"
import * as Works from "./Works.ts"

const clients = 4

/** The pause of a client between two requests, ms: some always run, and what they show does not grow with their number. */
const pauseMs = 200

export interface Acknowledged {
  readonly id: string
  readonly work: Works.Work
}

export interface Load {
  readonly acknowledged: ReadonlyArray<Acknowledged>
  /** Waits until this many more were acknowledged. */
  readonly more: (count: number) => Effect.Effect<void>
  /** Submits it from one more client, under a new key by default. */
  readonly submit: (work: Works.Work, key?: string) => Effect.Effect<string>
  /** Lets each client finish its current call. Dies if a node has given a forbidden answer. */
  readonly stop: Effect.Effect<void>
}

/** Also stopped with the scope. */
export const start = (nodes: ReadonlyArray<Node>, seed: number): Effect.Effect<Load, never, Scope.Scope> =>
  Effect.gen(function* () {
    const acknowledged: Array<Acknowledged> = []
    const surprises: Array<string> = []
    let isOver = false
    const clientOf = (number: number) => Calls.client(nodes, number, (surprise) => surprises.push(surprise))
    const submit = async (client: Calls.Client, work: Works.Work, key: string) => {
      const id = await client.submit(work, key)
      acknowledged.push({ id, work })
      return id
    }

    const run = async (number: number) => {
      const next = Works.make(seed + number)
      const client = clientOf(number)
      for (let serial = 0; !isOver; serial++) {
        const work = next(serial)
        const id = await submit(client, work, `${seed}-${number}-${serial}`)
        if (work.isCancelled === true) await client.cancel(id, work)
        await client.ended(id, work)
        await delay(pauseMs)
      }
    }

    const running = Array.from({ length: clients }, (_, number) => run(number))
    yield* Effect.addFinalizer(() => Effect.sync(() => void (isOver = true)))

    let extra = 0
    return {
      acknowledged,
      more: (count) => {
        const enough = acknowledged.length + count
        return Until.answers(async () => {
          if (acknowledged.length < enough)
            throw new Error(`${enough - acknowledged.length} are not acknowledged`)
        }, Until.processes)
      },
      submit: (work, key) =>
        Effect.promise(() => submit(clientOf(clients + extra), work, key ?? `${seed}-extra-${extra++}`)),
      stop: Effect.promise(async () => {
        isOver = true
        await Promise.all(running)
        if (surprises.length > 0) throw new Error(surprises.slice(0, 20).join("\n"))
      })
    }
  })
