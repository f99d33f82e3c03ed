/** The command line as this process: its arguments, its streams, its signals and its exit code. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import * as Failure from "./Failure.ts"
import { program } from "./Program.ts"
import * as Stdout from "./Stdout.ts"

Stdout.watch()

/** Whoever has said a line may hold the pipe open, which would keep this process waiting for more. */
const closeStdin = Effect.sync(() => process.stdin.destroy())

program.pipe(
  Effect.ensuring(closeStdin),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: Failure.teardown })
)
