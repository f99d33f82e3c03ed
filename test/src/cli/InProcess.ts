/** The command line without a process of its own: all of the program but the last lines, which tie it to one. */
import * as util from "node:util"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, Sink, Stdio } from "effect"
import * as Failure from "#src/cli/Failure.ts"
import { program } from "#src/cli/Program.ts"

/** What is written, and two ways to write it. */
const capture = () => {
  const decoder = new TextDecoder()
  let text = ""
  return {
    text: () => text,
    print: (...args: ReadonlyArray<unknown>) => void (text += `${util.format(...args)}\n`),
    sink: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => {
          text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })
        })
      )
  }
}

/** By a clock and a runtime of its own, whatever those of the test are. */
export const run = async (args: ReadonlyArray<string>, env: Record<string, string>) => {
  const stdout = capture()
  const stderr = capture()
  const surroundings = Layer.mergeAll(
    Layer.succeed(Console.Console, { ...console, log: stdout.print, error: stderr.print }),
    Stdio.layerTest({ args: Effect.succeed(args), stdout: stdout.sink, stderr: stderr.sink }),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
  )
  const exit = await Effect.runPromiseExit(
    program.pipe(Effect.provide(surroundings), Effect.provide(NodeServices.layer))
  )
  const code = await new Promise<number>((resolve) => Failure.teardown(exit, resolve))
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}
