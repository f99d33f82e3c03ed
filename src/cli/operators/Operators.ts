import { Clock, Console, Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { OperatorId } from "#domain/operator/Operator.ts"
import { Role } from "#domain/operator/Role.ts"
import type { ListedOperator } from "#projections/operators/OperatorViews.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Pages from "#src/edges/admin/Pages.ts"
import { UsageError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as GrantFlags from "#src/cli/keys/GrantFlags.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as Output from "#src/cli/Output.ts"
import { actions } from "./Actions.ts"

const operatorId = Argument.String("operator-id").pipe(
  Argument.withDescription("The part of the operator's key before the colon, op_…"),
  Argument.withSchema(OperatorId)
)

const role = Flag.Literals("role", Role.literals).pipe(
  Flag.withDescription(
    "viewer reads, operator also changes, auditor also proves the books and the log, owner does everything"
  )
)

const expires = GrantFlags.flags.expires

/** Unix time in ms; `null`: never. */
const expiryOf = Effect.fnUntraced(function* (given: GrantFlags.Expiry) {
  const now = yield* Clock.currentTimeMillis
  const expiresAt = "at" in given ? given.at : now + given.afterMs
  return expiresAt > now ? expiresAt : yield* new UsageError({ message: "--expires is not in the future" })
})

const create = Command.make(
  "create",
  { name: Flags.name("Name of the operator"), role, expires, json: Output.json },
  Effect.fnUntraced(function* ({ expires, json, name, role }) {
    const expiresAt = Option.isSome(expires) ? yield* expiryOf(expires.value) : null
    const { key, operatorId } = yield* (yield* Administration).createOperator({ name, role, expiresAt })
    yield* Console.error(`Created operator ${operatorId}. Its key, shown only once:`)
    yield* json
      ? Output.printJson({
          operatorId,
          key: Redacted.value(key),
          name,
          role,
          expiresAt: Output.timeOrNull(expiresAt)
        })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription(
    "Create an operator with a key for administration over HTTP, which is printed once"
  ),
  Command.withExamples([
    { command: "inferlog operators create --name ada --role owner" },
    {
      command: "inferlog operators create --name deploys --role operator --expires 90d --json",
      description: "{ operatorId, key, name, role, expiresAt }"
    }
  ])
)

const forPrograms = ({ createdAt, expiresAt, revokedAt, rotatedAt, ...operator }: ListedOperator) => ({
  ...operator,
  createdAt: Output.time(createdAt),
  expiresAt: Output.timeOrNull(expiresAt),
  rotatedAt: Output.timeOrNull(rotatedAt),
  revokedAt: Output.timeOrNull(revokedAt)
})

const forPeople = (operator: ListedOperator) => [
  operator.operatorId,
  operator.name,
  operator.role,
  Output.time(operator.createdAt),
  Output.timeOrNull(operator.expiresAt) ?? "-",
  Output.timeOrNull(operator.rotatedAt) ?? "-",
  Output.timeOrNull(operator.revokedAt) ?? "-"
]

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const { listOperators } = yield* Administration
    const operators = yield* Pages.collect((after: string | null) => listOperators({ after }))
    if (json) return yield* Output.printJson(operators.map(forPrograms))
    if (operators.length === 0) return yield* Console.error("There are no operators.")
    const header = ["OPERATOR", "NAME", "ROLE", "CREATED", "EXPIRES", "ROTATED", "REVOKED"]
    yield* Console.log(Output.table(header, operators.map(forPeople)))
  })
).pipe(
  Command.withDescription("List operators, with revoked and expired ones, without their keys"),
  Command.withShortDescription("List operators"),
  Command.withExamples([{ command: "inferlog operators list --json" }])
)

const changeRole = Command.make(
  "role",
  { operatorId, role, json: Output.json },
  Effect.fnUntraced(function* ({ json, operatorId, role }) {
    yield* (yield* Administration).changeRole({ operatorId, role })
    yield* json ? Output.printJson({ operatorId, role }) : Console.log(`${operatorId} is ${role} now.`)
  })
).pipe(
  Command.withDescription("Change the role of an operator, in force with its next call"),
  Command.withShortDescription("Change the role of an operator"),
  Command.withExamples([{ command: "inferlog operators role op_0123456789abcdef --role viewer" }])
)

const rotate = Command.make(
  "rotate",
  { operatorId, expires, json: Output.json },
  Effect.fnUntraced(function* ({ expires, json, operatorId }) {
    const { key } = yield* (yield* Administration).rotateOperator({
      operatorId,
      ...(Option.isSome(expires) && { expiresAt: yield* expiryOf(expires.value) })
    })
    yield* Console.error(`The previous key of ${operatorId} has ended. Its new key, shown only once:`)
    yield* json
      ? Output.printJson({ operatorId, key: Redacted.value(key) })
      : Console.log(Redacted.value(key))
  })
).pipe(
  Command.withDescription("Replace the key of an operator. The previous key ends at once"),
  Command.withShortDescription("Replace the key of an operator"),
  Command.withExamples([{ command: "inferlog operators rotate op_0123456789abcdef --expires 90d" }])
)

const revoke = Command.make(
  "revoke",
  { operatorId, json: Output.json },
  Effect.fnUntraced(function* ({ json, operatorId }) {
    yield* (yield* Administration).revokeOperator({ operatorId })
    yield* json
      ? Output.printJson({ operatorId, revoked: true })
      : Console.log(`Revoked ${operatorId}: its key is refused from now on.`)
  })
).pipe(
  Command.withDescription("Revoke an operator at once and for good"),
  Command.withExamples([{ command: "inferlog operators revoke op_0123456789abcdef" }])
)

export const operators = Command.make("operators").pipe(
  Command.withDescription("Operators, who administer over HTTP, and what they did"),
  Command.withSubcommands([create, list, changeRole, rotate, revoke, actions]),
  Command.provide(OperatorAccess.layerExisting),
  Remote.administers
)
