/** `requests watch`: follows an account's requests over HTTP. */
import { Clock, Console, Effect, type Option } from "effect"
import type { AccountEvent } from "#clients/typescript/AccountStream.ts"
import { isTerminal } from "#clients/typescript/Following.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as Following from "#src/cli/platform/Following.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import type * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"
import * as Stdout from "#src/cli/Stdout.ts"

export interface Options extends PlatformFlags.Given {
  /** At most 100. Empty: all. */
  readonly requestIds: ReadonlyArray<string>
  readonly model: Option.Option<string>
  readonly json: boolean
}

interface Change {
  /** ISO 8601; when the command received it. */
  readonly time: string
  readonly requestId: string
  readonly modelEndpoint: string
  readonly status: string
  /** Completed share, 0 to 1. */
  readonly progress: number | null
  /** Of a named request that has ended. */
  readonly outcome: string | null
  readonly error: string | null
}

const forPeople = ({ error, modelEndpoint, outcome, progress, requestId, status, time }: Change): string =>
  Output.printable(
    [
      time,
      requestId,
      modelEndpoint,
      status,
      ...(progress === null ? [] : [`${Math.round(progress * 100)} %`]),
      ...(outcome === null ? [] : [outcome]),
      ...(error === null ? [] : [error])
    ].join("  ")
  )

/** The request when it has ended. */
const endOf = (id: string, modelEndpoint: string) =>
  Platform.call((client, signal) => client.wait({ id, modelEndpoint }, { signal }), { retries: Infinity })

/** Prints changes until all named requests have ended. */
export const watching = Effect.fnUntraced(
  function* ({ json, model, requestIds }: Options) {
    const named: ReadonlySet<string> = new Set(requestIds)
    const outcomes = new Map<string, string>()
    const changeOf = Effect.fnUntraced(function* ({ data, type }: AccountEvent) {
      const { modelEndpoint, request_id: requestId } = data
      const time = Output.time(yield* Clock.currentTimeMillis)
      const about = { time, requestId, modelEndpoint }
      if (type === "progress") {
        const { progress } = data
        return { ...about, status: "IN_PROGRESS", progress, outcome: null, error: null } satisfies Change
      }
      const { status } = data
      if (!named.has(requestId) || !isTerminal(data)) {
        const error = ("error" in data ? data.error : undefined) ?? null
        return { ...about, status, progress: null, outcome: null, error } satisfies Change
      }
      const { error, outcome } = yield* endOf(requestId, modelEndpoint)
      outcomes.set(requestId, outcome)
      return { ...about, status, progress: null, outcome, error } satisfies Change
    })

    const printing = (print: (line: string) => Effect.Effect<void>) =>
      Following.follow({
        requestIds,
        model,
        onEvent: (event) =>
          Effect.flatMap(changeOf(event), (change) =>
            print(`${json ? Output.jsonText(change) : forPeople(change)}\n`)
          ),
        onBegin: Effect.void,
        say: (text) => Console.error(Output.printable(text))
      })
    const printed = Stdout.printing(printing)
    yield* named.size === 0 ? Failure.untilStopped(printed) : printed
    const failed = [...outcomes.values()].filter(
      (outcome) => outcome !== "succeeded" && outcome !== "partial"
    )
    if (failed.length > 0) {
      const message = `${failed.length} of ${Output.counted(named.size, "request")} ended without an output`
      return yield* new Failure.CommandError({ message })
    }
  },
  (effect, given) => Effect.provide(effect, Platform.layer(given))
)
