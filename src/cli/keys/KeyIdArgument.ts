import { Argument } from "effect/cli"
import { KeyId } from "#domain/Ids.ts"

export const keyId = Argument.String("key-id").pipe(
  Argument.withDescription("The part of the key before the colon"),
  Argument.withSchema(KeyId)
)
