/** Records the operations that change something as actions of their operators. */
import { type Effect, Predicate, Record } from "effect"
import type { OperatorActions } from "#src/features/operators/OperatorActions.ts"
import { type Administration, operations as declared } from "./Administration.ts"
import type { AdministrationFailed, Any } from "./Operation.ts"
import * as Operations from "./Operations.ts"

/** The longest text that an action names, in characters. */
const longest = 200

/** Texts of the named fields. */
const textsOf = (value: unknown, names: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = Predicate.hasProperty(value, name) ? value[name] : undefined
      return typeof text === "string" ? [[name, text.slice(0, longest)]] : []
    })
  )

const made = ["accountId", "keyId", "operatorId"]

type Run = (payload: never) => Effect.Effect<unknown, AdministrationFailed>

export const make = (
  administration: Administration["Service"],
  actions: OperatorActions["Service"]
): Administration["Service"] => {
  const byName = new Map<string, Any>(
    declared.map((operation) => [operation.name, operation as unknown as Any])
  )
  const recorded = Record.map(administration as unknown as Record<string, Run>, (run, name) => {
    const operation = byName.get(name)
    if (operation === undefined) return run
    const { isRecorded, targets, targetsOf } = operation
    return (payload: never) =>
      isRecorded(payload)
        ? actions.recorded(
            {
              action: name,
              targets: { ...textsOf(payload, targets), ...targetsOf(payload) },
              made: (result) => textsOf(result, made),
              isRefusal: (error) =>
                Predicate.hasProperty(error, "_tag") && error._tag !== "AdministrationFailed"
            },
            run(payload)
          )
        : run(payload)
  })
  return Operations.reported(recorded as never)
}
