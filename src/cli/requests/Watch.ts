import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { UsageError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as PlatformFlags from "#src/cli/platform/PlatformFlags.ts"

/** Requests that a server follows in one stream. */
const mostRequests = 100

const flags = {
  requestIds: Argument.String("request-id").pipe(
    Argument.withDescription(
      `Only these requests, at most ${mostRequests}. Ends when all of them have ended`
    ),
    Argument.filterMap(...Flags.requestId),
    Argument.atLeast(0)
  ),
  model: Flags.model,
  ...PlatformFlags.flags,
  json: Output.jsonLines
}

/** Loads the client only when it runs: `list` and `show` do without. */
export const watch = Command.make(
  "watch",
  flags,
  Effect.fnUntraced(function* (given) {
    if (given.requestIds.length > mostRequests) {
      return yield* new UsageError({ message: `Expected at most ${mostRequests} request ids` })
    }
    const { watching } = yield* Effect.promise(() => import("./Watching.ts"))
    yield* watching(given)
  })
).pipe(
  Command.withDescription(
    "Follow the requests of an account over HTTP: a line for each change of status, and for progress. Begins with the open " +
      "requests. With ids, ends when those have ended: with 0 if each has an output, otherwise with 1. Continues when the " +
      "server restarts"
  ),
  Command.withShortDescription("Follow requests as they change"),
  Command.withExamples([
    {
      command: "inferlog requests watch --model vision/ocr",
      description: "With INFERLOG_API_KEY in the environment"
    },
    { command: "inferlog requests watch rq0qXk2Ab-0Zp1aB3dE5f --json" }
  ])
)
