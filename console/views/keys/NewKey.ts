/** The form of a new key, its checks, and the call that it makes. An empty field leaves what the own key has. */
import type { PayloadOfCall } from "#console/api/Types.ts"
import type { Choice } from "#console/design/fields/Select.tsx"
import type { ApiKey, ScopeName } from "./Keys.ts"

const days = { week: 7, month: 30, quarter: 90, year: 365 } as const

export type Lifetime = "own" | keyof typeof days

export interface NewKeyForm {
  readonly name: string
  readonly scopes: ReadonlyArray<ScopeName>
  /** Lines. */
  readonly models: string
  readonly budget: string
  readonly lifetime: Lifetime
  /** Lines. */
  readonly origins: string
}

export type Fault = { readonly [Field in keyof NewKeyForm]?: string }

const dayMs = 86_400_000

/** @param own the key of the session, which the new one must not outlive. */
export const lifetimes = (own: ApiKey): ReadonlyArray<Choice<Lifetime>> => [
  { value: "own", label: own.expiresAt === null ? "Never" : "With your own key" },
  { value: "week", label: "In a week" },
  { value: "month", label: "In 30 days" },
  { value: "quarter", label: "In 90 days" },
  { value: "year", label: "In a year" }
]

const linesOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(/[\s,]+/)
      .map((line) => line.trim())
      .filter((line) => line !== "")
  )
]

const isModel = (text: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}\/[a-z0-9][a-z0-9._-]{0,63}$/.test(text)

const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.parse(text)?.origin === text

const wrongLine = (lines: ReadonlyArray<string>, most: number, isRight: (line: string) => boolean) => {
  if (lines.length > most) return `At most ${most}.`
  const wrong = lines.find((line) => !isRight(line))
  return wrong === undefined ? null : `“${wrong}” does not have this form.`
}

/** What has to be corrected before the call. */
export const faultsOf = ({ budget, models, name, origins, scopes }: NewKeyForm): Fault => {
  const found = {
    name: name.trim() === "" ? "Enter a name." : null,
    scopes: scopes.length === 0 ? "Choose at least one." : null,
    budget:
      budget.trim() !== "" && (!/^\d+(\.\d{1,9})?$/.test(budget.trim()) || Number(budget) === 0)
        ? "Enter an amount above 0, such as 25 or 0.50."
        : null,
    models: wrongLine(linesOf(models), 20, isModel),
    origins: wrongLine(linesOf(origins), 10, isOrigin)
  }
  return Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== null))
}

/** @param now Unix time in ms. */
export const payloadOf = (form: NewKeyForm, now: number): PayloadOfCall<"createKey"> => {
  const { budget, lifetime, name, scopes } = form
  const models = linesOf(form.models)
  const origins = linesOf(form.origins)
  return {
    name: name.trim(),
    scopes,
    ...(models.length > 0 && { modelEndpoints: models }),
    ...(budget.trim() !== "" && { monthlyBudget: budget.trim() }),
    ...(lifetime !== "own" && { expiresAt: new Date(now + days[lifetime] * dayMs).toISOString() }),
    ...(origins.length > 0 && { origins })
  }
}
