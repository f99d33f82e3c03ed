/** The projections' thread. It ends when the log or the file of the read models is unusable, and the server restarts it. */
import * as workerThreads from "node:worker_threads"
import { Cause, Effect, Logger, Queue, Schema, Stream } from "effect"
import { SegmentSource } from "#streams/archive/SegmentSource.ts"
import { allProjections } from "./AllProjections.ts"
import { ReadModelError } from "./ReadModelError.ts"
import * as Damage from "./runner/Damage.ts"
import { describe } from "./runner/Failure.ts"
import * as Pace from "./runner/Pace.ts"
import * as Runner from "./Runner.ts"
import * as AskedSegments from "./worker/AskedSegments.ts"
import * as LogSource from "./worker/LogSource.ts"
import { type FromWorker, hurry, stop, WorkerData } from "./worker/Protocol.ts"

const port = workerThreads.parentPort
if (port === null) throw new Error("projections/worker.ts is started by the server, as a worker thread")

// A thread that was started early gets its data later, as its first message.
const data =
  workerThreads.workerData ?? (await new Promise<unknown>((resolve) => port.once("message", resolve)))
const { filename, log } = Schema.decodeUnknownSync(WorkerData)(data)

const send = (message: FromWorker) => port.postMessage(message)

const logger = Logger.make<unknown, void>((entry) => {
  if (entry.logLevel === "All" || entry.logLevel === "None") return
  const { message, annotations, cause } = Logger.formatStructured.log(entry)
  send({
    _tag: "Logged",
    level: entry.logLevel,
    message: typeof message === "string" ? message : JSON.stringify(message),
    annotations: cause === undefined ? annotations : { ...annotations, cause }
  })
})

const sendEnd = (error: unknown) =>
  send({
    _tag: "Ended",
    reason: error instanceof ReadModelError ? `${error.reason} (${describe(error.cause)})` : describe(error),
    damage: Damage.of(error, filename)
  })

const wake = Stream.callback<unknown>(
  (queue) => Effect.sync(() => port.on("message", () => Queue.offerUnsafe(queue, undefined))),
  { bufferSize: 1, strategy: "sliding" }
)

const pace = Pace.make()
port.on("message", (message) => {
  if (message === hurry) pace.hurry()
})

const program = Runner.run({
  filename,
  projections: allProjections,
  pace,
  publish: (moved) => send({ _tag: "Moved", moved })
}).pipe(
  Effect.provide(LogSource.layer(log, wake)),
  Effect.provideService(SegmentSource, AskedSegments.make(port)),
  Effect.scoped,
  Effect.tapCause((cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Effect.andThen(
          Effect.logError("The projections' thread ends", cause),
          Effect.sync(() => sendEnd(Cause.squash(cause)))
        )
  ),
  Effect.provide(Logger.layer([logger]))
)

/**
 * After its files are closed, the thread may still have something open, such as a connection attempt. It is ended after this
 * time, ms.
 */
const exitDelay = 200

const leave = () => {
  port.close()
  setTimeout(() => process.exit(0), exitDelay).unref()
}

let isStopping = false
const fiber = Effect.runFork(program)
port.on("message", (message) => {
  if (message !== stop) return
  isStopping = true
  fiber.interruptUnsafe()
})
fiber.addObserver(() => (isStopping ? leave() : process.exit(1)))
