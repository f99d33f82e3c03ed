/**
 * Passes over the whole log in a process of their own, which reads beside the server at low priority: they compute for
 * minutes to an hour, which must not slow requests down. One at a time on each node.
 */
import * as childProcess from "node:child_process"
import * as os from "node:os"
import { Readable } from "node:stream"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Clock, Context, Data, Effect, Layer, Queue, Result, Schema, Stream } from "effect"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"

/** The arguments with which Node runs this program. */
export const Program = Context.Reference<ReadonlyArray<string>>("inferlog/src/edges/admin/log/Program", {
  defaultValue: () => [...process.execArgv, process.argv[1] ?? ""]
})

/** Characters of a report, and of the messages of the program. */
const mostReport = 4 * 1_024 * 1_024
const mostMessages = 16 * 1_024

/** The program acts on the data here, whatever server the environment of this one names. */
const noServerElsewhere = { INFERLOG_ADMIN_URL: "", INFERLOG_PROFILE: "", INFERLOG_OPERATOR_KEY: "" }

const heartbeat = "1 second"

export interface Ended {
  readonly code: number | null
  readonly report: string
  readonly messages: string
}

/**
 * How the output of a command is sent. As one `report` in the result, or, because it may be long, in parts as it is written:
 * `{ type: "line", line }` for each line of JSON, or `{ type: "text", text }`.
 */
export type Form = "report" | "lines" | "texts"

export interface Proof {
  /** Of the command line. */
  readonly args: ReadonlyArray<string>
  readonly form: Form
  /** What is done around the run of the program, such as a record of it. */
  readonly around?: (run: Effect.Effect<Ended>) => Effect.Effect<Ended>
}

/** How far the program is. Units are those of the log: events, or commits on NATS. */
const Progress = Schema.Struct({
  done: Schema.Int,
  total: Schema.NullOr(Schema.Int),
  unit: Schema.String
})

const isProgress = Schema.is(Progress)

const line = (value: object): string => `${JSON.stringify(value)}\n`

const parse = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))

/** `report` is the JSON of the command, or its text; `null` when its output was sent before. */
const resultOf = ({ code, messages, report }: Ended, form: Form): string =>
  line({
    type: "result",
    ok: code === 0,
    code,
    report: form === "report" ? Result.getOrElse(parse(report), () => report) : null,
    message: messages.trim()
  })

/** Ends the process when the scope ends, which it does when the client leaves. */
const started = (
  directory: string,
  program: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  onProgress: (progress: typeof Progress.Type) => void
) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = childProcess.spawn(process.execPath, [...program, ...args], {
        env: { ...process.env, ...noServerElsewhere, DATA_DIR: directory },
        stdio: ["ignore", "pipe", "pipe", "ipc"]
      })
      if (child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW)
      let messages = ""
      child.stderr
        ?.setEncoding("utf8")
        .on("data", (text) => (messages = (messages + String(text)).slice(-mostMessages)))
      child.on("message", (message) => {
        if (isProgress(message)) onProgress(message)
      })
      const ended = new Promise<Omit<Ended, "report">>((resolve) => {
        child.once("error", (error) => resolve({ code: null, messages: error.message }))
        child.once("close", (code) => resolve({ code, messages }))
      })
      return { child, ended }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

type Started = Effect.Success<ReturnType<typeof started>>

/** Reads no faster than the client. */
const outputOf = ({ child }: Started): Stream.Stream<string> =>
  NodeStream.fromReadable<Uint8Array, unknown>({
    evaluate: () => child.stdout ?? Readable.from([]),
    onError: (cause) => cause
  }).pipe(
    // The end of the process says what failed.
    Stream.catch(() => Stream.empty),
    Stream.decodeText
  )

const partsOf = (started: Started, form: Form): Stream.Stream<string> =>
  form === "texts"
    ? Stream.map(outputOf(started), (text) => line({ type: "text", text }))
    : Stream.map(Stream.splitLines(outputOf(started)), (json) => `{"type":"line","line":${json}}\n`)

const endOf = ({ ended }: Started, report: string) =>
  Effect.map(
    Effect.promise(() => ended),
    (end): Ended => ({ ...end, report })
  )

const tooLong = (end: Ended): Ended => ({
  ...end,
  code: end.code === 0 ? 1 : end.code,
  report: "",
  messages: "The report is too long"
})

const reportOf = (started: Started) =>
  outputOf(started).pipe(
    Stream.runFold(
      () => "",
      (report, text) => (report.length > mostReport ? report : report + text)
    ),
    Effect.flatMap((report) => endOf(started, report)),
    Effect.map((end) => (end.report.length > mostReport ? tooLong(end) : end))
  )

const busy = ErrorAnswer.coded(409, "PROOF_RUNNING", "This node runs another pass over its log.")

const late = resultOf({ code: null, report: "", messages: String(busy.error) }, "texts")

/** The program failed after its output had begun. */
class BrokenOff extends Data.TaggedError("BrokenOff")<{ readonly messages: string }> {}

export class Proofs extends Context.Service<
  Proofs,
  {
    /** Runs the program. Lines of JSON: `running` every second and when it has got on, the parts of its output, then the `result`. */
    prove(proof: Proof): Effect.Effect<Stream.Stream<string>, ErrorAnswer.ErrorAnswer>
    /** Runs the program with `args`, and sends what it prints as it is. The stream fails when the program does. */
    output(
      args: ReadonlyArray<string>
    ): Effect.Effect<Stream.Stream<string, BrokenOff>, ErrorAnswer.ErrorAnswer>
  }
>()("inferlog/src/edges/admin/log/Proofs") {
  static readonly layer = Layer.effect(
    Proofs,
    Effect.gen(function* () {
      const directory = yield* DataDirectory
      const program = yield* Program
      const clock = yield* Clock.Clock
      let isRunning = false
      const turn = Effect.acquireRelease(
        Effect.sync(() => void (isRunning = true)),
        () => Effect.sync(() => void (isRunning = false))
      )

      const outcomeOf = (
        { args, around = (run) => run, form }: Proof,
        onProgress: (progress: typeof Progress.Type) => void
      ): Stream.Stream<string> => {
        const start = started(directory, program, args, onProgress)
        const whole = around(Effect.scoped(Effect.flatMap(start, reportOf)))
        return form === "report"
          ? Stream.fromEffect(Effect.map(whole, (end) => resultOf(end, form)))
          : Stream.unwrap(
              Effect.map(start, (running) =>
                Stream.concat(
                  partsOf(running, form),
                  Stream.fromEffect(Effect.map(endOf(running, ""), (end) => resultOf(end, form)))
                )
              )
            )
      }

      const linesOf = Effect.fnUntraced(function* (proof: Proof) {
        // Another one may have begun since its answer began.
        if (isRunning) return Stream.make(late)
        yield* turn
        const began = clock.currentTimeMillisUnsafe()
        let progress: typeof Progress.Type | null = null
        const reports = yield* Queue.sliding<typeof Progress.Type>(1)
        const running = Stream.merge(Stream.tick(heartbeat), Stream.fromQueue(reports)).pipe(
          Stream.map(() =>
            line({ type: "running", elapsedMs: clock.currentTimeMillisUnsafe() - began, ...progress })
          )
        )
        const outcome = outcomeOf(proof, (reported) => {
          progress = reported
          Queue.offerUnsafe(reports, reported)
        })
        return Stream.merge(running, outcome, { haltStrategy: "right" })
      })

      const textsOf = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
        if (isRunning) return Stream.fail(new BrokenOff({ messages: String(busy.error) }))
        yield* turn
        const running = yield* started(directory, program, args, () => {})
        const end = Effect.flatMap(endOf(running, ""), ({ code, messages }) =>
          code === 0 ? Effect.void : Effect.fail(new BrokenOff({ messages }))
        )
        return Stream.concat(outputOf(running), Stream.drain(Stream.fromEffect(end)))
      })

      return Proofs.of({
        output: (args) => (isRunning ? Effect.fail(busy) : Effect.succeed(Stream.unwrap(textsOf(args)))),
        prove: (proof) => (isRunning ? Effect.fail(busy) : Effect.succeed(Stream.unwrap(linesOf(proof))))
      })
    })
  )
}
