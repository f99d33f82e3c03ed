import { Flag } from "effect/cli"
import { isName } from "#src/features/accounts/Name.ts"

export const make = (description: string): Flag.Flag<string> =>
  Flag.String("name").pipe(
    Flag.withDescription(description),
    Flag.filter(isName, () => "Expected a name of 1 to 100 characters")
  )
