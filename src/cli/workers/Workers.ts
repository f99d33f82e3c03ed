import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import type { KeyId } from "#domain/Ids.ts"
import type { ListedWorkerKey } from "#projections/keys/KeyViews.ts"
import * as KeyChanges from "#src/cli/keys/KeyChanges.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as GrantFlags from "#src/cli/keys/GrantFlags.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as Pages from "#src/edges/admin/Pages.ts"
import type { ConnectedWorker } from "#src/edges/admin/fleet/FleetViews.ts"
import * as ConnectedWorkers from "./ConnectedWorkers.ts"
import * as ModelWarnings from "./ModelWarnings.ts"

const forPrograms = (connected: ReadonlyArray<ConnectedWorker>) => (key: ListedWorkerKey) => ({
  keyId: key.keyId,
  name: key.name,
  createdAt: Output.time(key.issuedAt),
  revokedAt: Output.timeOrNull(key.revokedAt),
  modelEndpoints: key.modelEndpoints,
  expiresAt: Output.timeOrNull(key.expiresAt),
  rotatedAt: Output.timeOrNull(key.rotatedAt),
  workers: connected.filter(({ keyId }) => keyId === key.keyId).map(ConnectedWorkers.forPrograms)
})

const header = ["KEY", "NAME", "CREATED", "REVOKED", "MODELS", "EXPIRES", "ROTATED"]

const forPeople = (key: ListedWorkerKey) => [
  key.keyId,
  key.name,
  Output.time(key.issuedAt),
  Output.timeOrNull(key.revokedAt) ?? "-",
  key.modelEndpoints?.join(",") ?? "all",
  Output.timeOrNull(key.expiresAt) ?? "-",
  Output.timeOrNull(key.rotatedAt) ?? "-"
]

const keysOf = Effect.flatMap(Administration, ({ listWorkerKeys }) =>
  Pages.collect((after: KeyId | null) => listWorkerKeys({ after }))
)

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const keys = yield* keysOf
    const connected = yield* (yield* Administration).listConnectedWorkers()
    if (json) return yield* Output.printJson(keys.map(forPrograms(connected.data)))
    if (keys.length === 0) return yield* Console.error("There are no worker keys.")
    yield* Console.log(Output.table(header, keys.map(forPeople)))
    yield* ConnectedWorkers.print(connected, keys)
  })
).pipe(
  Command.withDescription(
    "List worker keys with their models, revoked and expired keys included, and the workers that call with them: last poll, version, jobs in hand, models, and the node. Workers that are gone are listed for ten minutes"
  ),
  Command.withShortDescription("List worker keys and connected workers"),
  Command.withExamples([{ command: "inferlog workers list" }, { command: "inferlog workers list --json" }])
)

const models = GrantFlags.flags.models.pipe(
  Flag.withDescription("Models whose jobs the worker may take, such as acme/upscale; all by default")
)

const create = Command.make(
  "create",
  {
    name: Flags.name("Name of the worker"),
    models,
    expires: GrantFlags.flags.expires,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ expires, json, models, name }) {
    const unlimited = { scopes: Option.none(), monthlyBudget: Option.none(), origins: Option.none() }
    const { expiresAt, modelEndpoints } = yield* GrantFlags.grantOf({ expires, models, ...unlimited })
    // Runs before the key is created, because a failure afterwards would lose the key.
    const warnings = yield* ModelWarnings.of(modelEndpoints ?? [])
    const { key, keyId } = yield* (yield* Administration).issueWorkerKey({ name, modelEndpoints, expiresAt })
    for (const warning of warnings) yield* Console.error(`Warning: ${warning}`)
    yield* Console.error(`Created worker key ${keyId}. Shown only once:`)
    yield* json
      ? Output.printJson({
          keyId,
          key: Redacted.value(key),
          modelEndpoints,
          expiresAt: Output.timeOrNull(expiresAt)
        })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription(
    "Create a key for a worker, which fetches jobs, and print it. It is shown only once, because the log stores only its hash. The worker sees the inputs of all accounts for its models"
  ),
  Command.withShortDescription("Create a worker key"),
  Command.withExamples([
    { command: "inferlog workers create --name gpu-box --models acme/upscale" },
    {
      command:
        "inferlog workers create --name gpu-box --models acme/upscale,acme/caption --expires 90d --json"
    }
  ])
)

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
  Command.withDescription("Workers, which fetch jobs, and their keys"),
  Command.withSubcommands([create, list, rotate, revoke]),
  Command.provide(OperatorAccess.layerExisting),
  Remote.administers
)
