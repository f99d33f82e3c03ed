import { type Grant, Scope } from "#domain/account/Grant.ts"
import * as Money from "#domain/Money.ts"
import * as Output from "#src/cli/Output.ts"

export const forPrograms = ({ expiresAt, modelEndpoints, monthlyBudget, scopes }: Grant) => ({
  scopes,
  modelEndpoints,
  monthlyBudget: monthlyBudget === null ? null : Money.format(monthlyBudget),
  expiresAt: Output.timeOrNull(expiresAt)
})

export const header = ["SCOPES", "MODELS", "BUDGET", "EXPIRES"]

export const forPeople = (grant: Grant): ReadonlyArray<string> => [
  Scope.literals.every((scope) => grant.scopes.includes(scope)) ? "all" : grant.scopes.join(","),
  grant.modelEndpoints?.join(",") ?? "all",
  grant.monthlyBudget === null ? "-" : Money.format(grant.monthlyBudget),
  Output.timeOrNull(grant.expiresAt) ?? "-"
]
