/** Runs the command line in this process: the whole program except the lines that tie it to a process. */
import * as util from "node:util"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Fiber, Layer, Sink, Stdio, Stream } from "effect"
import * as Failure from "#src/cli/Failure.ts"
import * as Pace from "#src/kernel/async/Pace.ts"
import { program } from "#src/cli/Program.ts"

/** Collects output from both ways to write it; calls `onWrite` each time. */
const capture = (onWrite: () => void) => {
  const decoder = new TextDecoder()
  let text = ""
  const write = (more: string) => {
    text += more
    onWrite()
  }
  return {
    text: () => text,
    print: (...args: ReadonlyArray<unknown>) => write(`${util.format(...args)}\n`),
    sink: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => write(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })))
      )
  }
}

interface Surroundings {
  readonly onWrite?: () => void
  readonly stdin?: string
  /** Replaces the clock. */
  readonly time?: Layer.Layer<never>
}

const start = (
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  { onWrite = () => {}, stdin = "", time = Layer.empty }: Surroundings = {}
) => {
  const stdout = capture(onWrite)
  const stderr = capture(onWrite)
  const surroundings = Layer.mergeAll(
    Layer.succeed(Console.Console, { ...console, log: stdout.print, error: stderr.print }),
    Stdio.layerTest({
      args: Effect.succeed(args),
      stdin: Stream.make(Buffer.from(stdin)),
      stdout: stdout.sink,
      stderr: stderr.sink
    }),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env })),
    // Pauses are as long as the work, which takes long on a busy machine.
    Layer.succeed(Pace.ShareOfOthers, 0),
    time
  )
  const fiber = Effect.runFork(program.pipe(Effect.provide(surroundings), Effect.provide(NodeServices.layer)))
  const written = () => ({ stdout: stdout.text(), stderr: stderr.text() })
  const ended = Effect.runPromise(Fiber.await(fiber)).then(async (exit) => ({
    code: await new Promise<number>((resolve) => Failure.teardown(exit, resolve)),
    ...written()
  }))
  return { fiber, written, ended }
}

/** Uses its own clock and runtime, independent of the test's. */
export const run = (args: ReadonlyArray<string>, env: Record<string, string>, stdin?: string) =>
  start(args, env, stdin === undefined ? {} : { stdin }).ended

export interface Written {
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs until it is stopped. */
export const follow = (
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  time: Layer.Layer<never> = Layer.empty
) => {
  const watchers = new Set<() => void>()
  const { ended, fiber, written } = start(args, env, {
    onWrite: () => watchers.forEach((look) => look()),
    time
  })
  return {
    ended,
    written,
    /** Resolves when its output satisfies the condition. Rejects if it ends before. */
    until: (isEnough: (written: Written) => boolean): Promise<Written> =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!isEnough(written())) return
          watchers.delete(look)
          resolve(written())
        }
        watchers.add(look)
        void ended.then(({ code, stderr }) => reject(new Error(`it ended with ${code}: ${stderr}`)))
        look()
      }),
    /** Stops it as a signal does. */
    stop: () => {
      const before = process.exitCode
      fiber.interruptUnsafe()
      return ended.finally(() => {
        process.exitCode = before
      })
    }
  }
}
