/** The URL of the actions: whose, and which. */
import { given, textOf } from "#console/app/SearchValues.ts"

export const parse = (search: Readonly<Record<string, unknown>>) =>
  given({ operator: textOf(search["operator"]), action: textOf(search["action"]) })
