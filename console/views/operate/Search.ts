/** What the addresses of these views keep: filters and choices that a person would share. */

type Given = Readonly<Record<string, unknown>>

const textOf = (value: unknown, most = 200): string | undefined =>
  typeof value === "string" && value !== "" ? value.slice(0, most) : undefined

/** Without parameters that are not given. */
const some = <Found extends object>(found: Found): { [Name in keyof Found]?: NonNullable<Found[Name]> } =>
  Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as never

const among = <const Values extends ReadonlyArray<string>>(
  values: Values,
  value: unknown
): Values[number] | undefined => values.find((one) => one === value)

export const text = (given: Given) => some({ q: textOf(given["q"]) })

export const scope = (given: Given) => some({ scope: among(["node"], given["scope"]) })

export const models = (given: Given) =>
  some({ q: textOf(given["q"]), all: given["all"] === true ? true : undefined })

export const statuses = ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED"] as const
export type Status = (typeof statuses)[number]

export const requests = (given: Given) =>
  some({
    account: textOf(given["account"]),
    model: textOf(given["model"]),
    status: among(statuses, given["status"])
  })

export const levels = ["trace", "debug", "info", "warn", "error", "fatal"] as const
export type Level = (typeof levels)[number]

export const log = (given: Given) => some({ q: textOf(given["q"]), level: among(levels, given["level"]) })
