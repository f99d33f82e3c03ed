/** Another product, run and measured by a program in `bench/peers` with the protocol of `bench/peers/protocol.ts`. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Schema } from "effect"
import { LoadResult } from "./Load.ts"
import * as Metering from "./Metering.ts"
import * as Program from "./Program.ts"
import { BenchFailed, type Subject, Unavailable } from "./Subject.ts"

const packages = "bench/peers/node_modules"
const installPackages = "npm ci --ignore-scripts --prefix bench/peers"
/** Time for creating databases and starting servers, and the time by which a measurement may exceed its length. */
const graceMs = 120_000

const Failed = Schema.Struct({ error: Schema.String })
const First = Schema.Union([
  Schema.Struct({ ready: Schema.Literal(true), pids: Schema.Array(Schema.Int) }),
  Schema.Struct({ unavailable: Schema.String }),
  Failed
])
const Answer = Schema.Union([LoadResult, Failed])

/** Fails with `Unavailable` if the packages of the peers are not installed. */
export const checkInstalled = Effect.fnUntraced(function* (subject: string) {
  if (!fs.existsSync(path.join(Program.root, packages)))
    return yield* new Unavailable({ subject, remedy: installPackages })
})

const inTime = (name: string) =>
  Effect.timeoutOrElse({
    duration: graceMs,
    orElse: () => Effect.fail(new BenchFailed({ reason: `${name} does not answer` }))
  })

const Serving = Schema.Union([
  Schema.Struct({ ready: Schema.Literal(true), port: Schema.Int, pids: Schema.Array(Schema.Int) }),
  Schema.Struct({ unavailable: Schema.String }),
  Failed
])

/** A peer that is an HTTP server, loaded by our load generator. */
export const serve = Effect.fnUntraced(function* (name: string, program: string) {
  yield* checkInstalled(name)
  const child = yield* Program.start({ name, args: [`bench/peers/${program}.ts`], end: "stdin" })
  const first = yield* Program.document(child, Serving).pipe(inTime(name))
  if ("unavailable" in first) return yield* new Unavailable({ subject: name, remedy: first.unavailable })
  if ("error" in first) return yield* new BenchFailed({ reason: `${name}: ${first.error}` })
  return { port: first.port, pids: [child.pid, ...first.pids] }
})

export interface Options {
  readonly name: string
  /** `bench/peers/<program>.ts` */
  readonly program: string
  readonly mode: "submit" | "end-to-end"
  readonly connections: number
}

/** The CPU time of the program itself counts, because it is the client and worker that such products need. */
export const subject = ({ connections, mode, name, program }: Options): Subject => ({
  name,
  role: "peer",
  start: Effect.gen(function* () {
    yield* checkInstalled(name)
    const args = [`bench/peers/${program}.ts`, "--mode", mode, "--connections", String(connections)]
    const child = yield* Program.start({ name, args, end: "stdin" })
    const first = yield* Program.document(child, First).pipe(inTime(name))
    if ("unavailable" in first) return yield* new Unavailable({ subject: name, remedy: first.unavailable })
    if ("error" in first) return yield* new BenchFailed({ reason: `${name}: ${first.error}` })

    const run = Effect.fnUntraced(function* (seconds: number) {
      yield* child.send({ measure: seconds })
      const answer = yield* Program.document(child, Answer).pipe(inTime(name))
      return "error" in answer ? yield* new BenchFailed({ reason: `${name}: ${answer.error}` }) : answer
    })
    const measure = (seconds: number) => Metering.meter([child.pid, ...first.pids], run(seconds))
    yield* measure(warmUpSeconds)
    return { measure }
  })
})

const warmUpSeconds = 2
