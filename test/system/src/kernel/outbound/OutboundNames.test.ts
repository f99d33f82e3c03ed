/**
 * Lying names: a real name server changes its answers, and an internal canary is never reached. `DNS_RUNS` sets the
 * number of posts to random names, `SEED` repeats a run.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { Buffer } from "node:buffer"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import * as NameServer from "#test/support/src/kernel/outbound/NameServer.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as OutboundGuard from "#test/support/src/kernel/outbound/OutboundGuard.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

const runs = Number(process.env["DNS_RUNS"] ?? 1_000)

/** Passes as public. The canary's addresses do not. */
const open = "127.0.0.1"
const internal = "127.0.0.2"
const mapped = "0:0:0:0:0:ffff:7f00:2"
const loopback6 = "0:0:0:0:0:0:0:1"

/** The answers for a name at its first look-up, and from the second on. */
interface Story {
  readonly first: NameServer.Entry
  readonly later: NameServer.Entry
}

const always = (entry: NameServer.Entry): Story => ({ first: entry, later: entry })

const stories = {
  "flips to an internal address": { first: { a: [open] }, later: { a: [internal] } },
  "flips to an internal address of the other family": { first: { a: [open] }, later: { aaaa: [mapped] } },
  "adds an internal address": { first: { a: [open] }, later: { a: [open, internal] } },
  "adds an internal address of the other family": {
    first: { a: [open] },
    later: { a: [open], aaaa: [loopback6] }
  },
  "becomes an alias of an internal name": {
    first: { a: [open] },
    later: { cname: "canary.internal", a: [internal] }
  },
  "is mixed from the start": always({ a: [internal, open] }),
  "is internal from the start": always({ a: [internal] }),
  "is an alias of an internal name": always({ cname: "canary.internal", a: [internal] }),
  "hides an internal address behind another family's failure": always({ a: [internal], code: { aaaa: 2 } }),
  fails: always({ code: { a: 2, aaaa: 2 } }),
  "fails for one family": always({ a: [open], code: { aaaa: 2 } }),
  "has no address": always({}),
  "fails from the second look-up on": { first: { a: [open] }, later: { code: { a: 2, aaaa: 2 } } },
  "answers slowly, and internal": { first: { a: [open] }, later: { a: [internal], delay: 50 } },
  "answers too late": { first: { a: [open], delay: 1_000 }, later: { a: [internal], delay: 1_000 } },
  "never answers": always({ silent: true })
} satisfies Record<string, Story>

const isSlow = (name: string) => name === "answers too late" || name === "never answers"

/** A name server for `{number}-{index of a story}.example.com`, which counts the look-ups of each. */
const storyteller = Effect.gen(function* () {
  const told = Object.values<Story>(stories)
  const asked = new Map<string, number>()
  return yield* NameServer.answering((name, type) => {
    const key = `${name} ${type}`
    const count = (asked.get(key) ?? 0) + 1
    asked.set(key, count)
    const story = told[Number(name.split(/[-.]/)[1])]
    return count === 1 ? story?.first : story?.later
  })
})

/** Posts three times to a name and returns the results. */
const visit = Effect.fn(function* (name: string, port: number, timeout = Duration.seconds(5)) {
  const outbound = yield* Outbound
  const post = outbound
    .post({
      url: `https://${name}:${port}/`,
      headers: {},
      body: Buffer.from("{}"),
      timeout
    })
    .pipe(Effect.match({ onFailure: ({ reason }) => reason, onSuccess: ({ status }) => String(status) }))
  return [yield* post, yield* post, yield* post] as const
})

/** Certificates are for one name, so a name that leads to the receiver fails at TLS. */
const reached = "tls_error"

const outcomes: Record<keyof typeof stories, readonly [string, string]> = {
  "flips to an internal address": [reached, "private_address"],
  "flips to an internal address of the other family": [reached, "private_address"],
  "adds an internal address": [reached, "private_address"],
  "adds an internal address of the other family": [reached, "private_address"],
  "becomes an alias of an internal name": [reached, "private_address"],
  "is mixed from the start": ["private_address", "private_address"],
  "is internal from the start": ["private_address", "private_address"],
  "is an alias of an internal name": ["private_address", "private_address"],
  "hides an internal address behind another family's failure": ["dns_error", "dns_error"],
  fails: ["dns_error", "dns_error"],
  "fails for one family": ["dns_error", "dns_error"],
  "has no address": ["dns_error", "dns_error"],
  "fails from the second look-up on": [reached, "dns_error"],
  "answers slowly, and internal": [reached, "private_address"],
  "answers too late": ["dns_error", "dns_error"],
  "never answers": ["dns_error", "dns_error"]
}

const world = Effect.gen(function* () {
  const receiver = yield* Receiver.https((_request, response) => response.end())
  const canary = yield* Receiver.silent({ host: internal, port: receiver.port })
  const nameServer = yield* storyteller
  const guard = OutboundGuard.layer({ nameServer, authorities: [Receiver.authority] }).pipe(
    Layer.provideMerge(SkippedTime.layer)
  )
  return { receiver, canary, guard }
})

describe("a malicious name", () => {
  it.live.each(Object.entries(outcomes))("reaches no internal address: it %s", ([story, [first, later]]) =>
    Effect.gen(function* () {
      const { canary, guard, receiver } = yield* world
      const index = Object.keys(stories).indexOf(story)
      const visiting = visit(
        `0-${index}.example.com`,
        receiver.port,
        isSlow(story) ? Duration.millis(300) : undefined
      )
      const isOver = isSlow(story) && first === "dns_error"
      const results = yield* Effect.provide(
        isOver ? SkippedTime.passing("20 millis")(visiting) : visiting,
        guard
      )
      assert.deepStrictEqual(results, [first, later, later])
      assert.strictEqual(canary.connections(), 0)
    })
  )

  it.live(
    `reaches no internal address in ${runs} random runs`,
    () =>
      Effect.gen(function* () {
        const { canary, guard, receiver } = yield* world
        const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)
        const quick = Object.keys(stories).flatMap((story, index) => (isSlow(story) ? [] : [index]))
        const names = fc
          .sample(fc.constantFrom(...quick), { numRuns: runs, seed })
          .map((story, run) => `${run}-${story}.example.com`)
        const results = yield* Effect.forEach(names, (name) => visit(name, receiver.port), {
          concurrency: 16
        }).pipe(Effect.provide(guard))
        const told = Object.values(outcomes)
        results.forEach(([first, second, third], run) => {
          const name = names[run] ?? ""
          const [expected, later] = told[Number(name.split(/[-.]/)[1])] ?? []
          assert.deepStrictEqual([first, second, third], [expected, later, later], `${name}, SEED=${seed}`)
        })
        assert.strictEqual(canary.connections(), 0, `SEED=${seed}`)
      }),
    Math.max(30_000, runs * 50)
  )
})
