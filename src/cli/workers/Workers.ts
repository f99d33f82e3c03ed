import { Command } from "effect/cli"
import * as KeyChanges from "#src/cli/keys/KeyChanges.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import { create } from "./Create.ts"
import { list } from "./List.ts"

const words = { noun: "worker key", one: "a worker key" }

const rotate = KeyChanges.rotate(words, ({ rotateWorkerKey }, options) => rotateWorkerKey(options)).pipe(
  Command.withExamples([{ command: "inferlog workers rotate worker_0123456789abcdef --grace 1h" }])
)

const revoke = KeyChanges.revoke(
  words,
  "The jobs that its worker runs are run again when their leases expire",
  ({ revokeWorkerKey }, options) => revokeWorkerKey(options)
).pipe(Command.withExamples([{ command: "inferlog workers revoke worker_0123456789abcdef" }]))

export const workers = Command.make("workers").pipe(
  Command.withDescription("Keys for workers, which fetch jobs"),
  Command.withSubcommands([create, list, rotate, revoke]),
  Command.provide(OperatorAccess.layerExisting)
)
