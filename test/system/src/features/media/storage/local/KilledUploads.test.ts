/**
 * Nodes that are killed during uploads, and a node that receives more bytes than its memory.
 * @cost It kills a node at each step of an upload, and each needs another start.
 */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, type Scope } from "effect"
import type { UploadTarget } from "#src/features/media/storage/UploadStore.ts"
import type { Look, Order } from "#test/support/src/features/media/storage/local/KillableNode.ts"
import * as Puts from "#test/support/src/features/media/storage/local/Puts.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Until from "#test/support/Until.ts"

const MiB = 1024 * 1024
const entry = path.join(ServerProcess.root, "test/support/src/features/media/storage/local/KillableNode.ts")

interface Started {
  readonly port: number
  readonly pid: number
  readonly ask: <A>(order: Order) => Effect.Effect<A>
  readonly kill: Effect.Effect<void>
}

const answerOf = async (child: childProcess.ChildProcess): Promise<unknown> => {
  const [message] = await once(child, "message")
  return (message as { readonly answer: unknown }).answer
}

const start = (directory: string): Effect.Effect<Started, never, Scope.Scope> =>
  Effect.gen(function* () {
    const child = childProcess.fork(entry, [directory], { execArgv: [], stdio: "inherit" })
    const exited = once(child, "exit")
    const kill = Effect.promise(async () => {
      child.kill("SIGKILL")
      await exited
    })
    yield* Effect.addFinalizer(() => kill)
    const port = (yield* Effect.promise(() => answerOf(child))) as number
    const ask = <A>(order: Order) =>
      Effect.promise(() => {
        const answer = answerOf(child) as Promise<A>
        child.send(order)
        return answer
      })
    return { port, pid: child.pid ?? 0, ask, kill }
  })

interface Announced {
  readonly target: UploadTarget
  readonly url: string
}

const body = Puts.pattern(6 * MiB)

/** ms; longer than a PUT of `body` takes here. */
const moments = [0, 10, 30, 60]

describe("A node that is killed", () => {
  it.live(
    "in the middle of a PUT leaves nothing readable or all of it, and the same PUT succeeds afterwards",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        let node = yield* start(directory)
        for (const ms of moments) {
          const { target, url } = yield* node.ask<Announced>({ _tag: "Announce" })
          const sending = Puts.begin(node.port, url, {
            "content-type": Puts.contentType,
            "content-length": body.length
          })
          sending.request.on("error", () => {})
          sending.request.write(body.subarray(0, MiB))
          yield* Until.holds(
            "the uploads under way",
            () => Puts.underWay(directory).length === 1,
            () => Puts.underWay(directory),
            Until.processes
          )
          // At 0 ms the rest is never sent.
          if (ms > 0) sending.request.end(body.subarray(MiB))
          yield* Effect.sleep(ms)
          yield* node.kill
          node = yield* start(directory)
          assert.deepStrictEqual(Puts.underWay(directory), [], "what the last one left is gone")
          const before = yield* node.ask<Look>({ _tag: "Look", target })
          assert.include([null, Puts.sha256(body)], before.sha256, `after ${ms} ms`)
          if (ms === 0) assert.isNull(before.stored)
          assert.strictEqual((yield* Puts.put(node.port, url, body)).etag, `"${Puts.md5(body)}"`)
          const after = yield* node.ask<Look>({ _tag: "Look", target })
          assert.strictEqual(after.sha256, Puts.sha256(body))
          assert.deepStrictEqual(Puts.underWay(directory), [])
        }
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "in the middle of a completion leaves parts that the next one assembles",
    () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const uploadId = "upload"
        const bodies = Array.make(body, Puts.pattern(MiB, 1))
        let node = yield* start(directory)
        for (const ms of [0, 5, 20]) {
          const { target } = yield* node.ask<Announced>({ _tag: "Announce", uploadId })
          const parts = yield* Effect.forEach(
            bodies,
            Effect.fnUntraced(function* (bytes, index) {
              const number = index + 1
              const url = yield* node.ask<string>({ _tag: "PartUrl", target, uploadId, number })
              yield* Puts.put(node.port, url, bytes)
              return { partNumber: number, etag: Puts.md5(bytes), size: bytes.length }
            })
          )
          const complete = { _tag: "Complete", target, uploadId, parts: toNonEmpty(parts) } as const
          yield* Effect.forkScoped(node.ask(complete), { startImmediately: true })
          yield* Effect.sleep(ms)
          yield* node.kill
          node = yield* start(directory)
          const whole = Puts.sha256(Buffer.concat(bodies))
          const before = yield* node.ask<Look>({ _tag: "Look", target })
          assert.include([null, whole], before.sha256, `after ${ms} ms`)
          yield* node.ask(complete)
          const after = yield* node.ask<Look>({ _tag: "Look", target })
          assert.strictEqual(after.sha256, whole)
          assert.strictEqual(after.stored?.sha256, whole)
        }
      }).pipe(Effect.scoped),
    120_000
  )
})

const toNonEmpty = <A>(values: ReadonlyArray<A>): Array.NonEmptyReadonlyArray<A> => {
  assert.isTrue(Array.isReadonlyArrayNonEmpty(values))
  return Array.isReadonlyArrayNonEmpty(values) ? values : assert.fail()
}

/** Peak memory of a process, MiB. Only Linux reports it. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

describe.skipIf(process.platform !== "linux")(
  "A body of 256 MiB (needs Linux, which reports resident memory)",
  () => {
    it.live(
      "uses less than 64 MiB of memory",
      () =>
        Effect.gen(function* () {
          const node = yield* start(yield* TempDirectory.make)
          const small = yield* node.ask<Announced>({ _tag: "Announce" })
          yield* Puts.put(node.port, small.url, body)
          const before = peakOf(node.pid)
          const { url } = yield* node.ask<Announced>({ _tag: "Announce" })
          const sending = Puts.begin(node.port, url, {
            "content-type": Puts.contentType,
            "content-length": 256 * MiB
          })
          const chunk = Puts.pattern(MiB)
          yield* Effect.promise(async () => {
            for (let sent = 0; sent < 256; sent++)
              if (!sending.request.write(chunk)) await once(sending.request, "drain")
            sending.request.end()
          })
          assert.strictEqual((yield* Effect.promise(() => sending.answered)).status, 200)
          assert.isBelow(peakOf(node.pid) - before, 64)
        }).pipe(Effect.scoped),
      120_000
    )
  }
)
