/** Runs `webhooks listen` in this process until the scope closes. */
import { Effect, type Layer } from "effect"
import * as ShortSleeps from "#test/support/ShortSleeps.ts"
import * as InProcess from "#test/support/src/cli/InProcess.ts"

export const key = "test:0123456789abcdef"

/** Pauses before another attempt are short. */
const soon = ShortSleeps.layerUpTo("2 seconds")

export const start = Effect.fnUntraced(function* (
  server: string,
  forward: string,
  args: ReadonlyArray<string> = [],
  { apiKey = key, time = soon }: { readonly apiKey?: string; readonly time?: Layer.Layer<never> } = {}
) {
  const command = yield* Effect.acquireRelease(
    Effect.sync(() =>
      InProcess.follow(
        ["webhooks", "listen", "--forward", forward, ...args],
        { INFERLOG_URL: server, INFERLOG_API_KEY: apiKey },
        time
      )
    ),
    (command) => Effect.promise(() => command.stop())
  )
  return {
    written: command.written,
    until: (isEnough: (written: InProcess.Written) => boolean) =>
      Effect.promise(() => command.until(isEnough)),
    /** Stops it like Ctrl-C. */
    stopped: Effect.promise(() => command.stop()),
    ended: Effect.promise(() => command.ended)
  }
})

/** Lines of stdout. */
export const lines = ({ stdout }: InProcess.Written): ReadonlyArray<string> => stdout.split("\n").slice(0, -1)

export const run = (
  server: string,
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>> = {}
) =>
  Effect.promise(() =>
    InProcess.run(["webhooks", "listen", ...args], {
      INFERLOG_URL: server,
      INFERLOG_API_KEY: key,
      ...settings
    })
  )
