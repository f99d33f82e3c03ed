/** Runs the command line in this process, with its arguments, streams, signals and exit code. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import * as Failure from "./Failure.ts"
import { program } from "./Program.ts"
import * as Stdout from "./Stdout.ts"

Stdout.watch()

/** An open pipe on stdin would keep the process alive after the command has ended. */
const closeStdin = Effect.sync(() => process.stdin.destroy())

program.pipe(
  Effect.ensuring(closeStdin),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: Failure.teardown })
)
