/** Makes the input of a model from its parts. Local files are uploaded. */
import { Effect, Option, Predicate } from "effect"
import { UsageError } from "#src/cli/Failure.ts"
import * as FileInput from "#src/cli/FileInput.ts"
import * as UploadOne from "#src/cli/files/UploadOne.ts"
import * as Platform from "#src/cli/platform/Platform.ts"
import * as FieldTypes from "./FieldTypes.ts"
import * as InputPart from "./InputPart.ts"

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** Does not show the text, because it may be personal data. */
const objectOf = (text: string, from: string) => {
  const value = Option.getOrNull(parseJson(text))
  return Predicate.isObject(value)
    ? Effect.succeed(value)
    : Effect.fail(new UsageError({ message: `${from}: Expected a JSON object` }))
}

/** JSON where the text is JSON, unless the schema wants a text there. */
const valueOf = Effect.fnUntraced(function* <E, R>(
  field: InputPart.Field,
  schema: Effect.Effect<unknown, E, R>
) {
  const { value: text } = field
  const value = parseJson(text)
  if (Option.isNone(value)) return text
  return FieldTypes.isTextInstead(yield* schema, field, value.value) ? text : value.value
})

/** `isSilent`: without the progress of uploads. */
export const make = Effect.fnUntraced(function* (
  model: string,
  parts: ReadonlyArray<InputPart.InputPart>,
  isSilent: boolean
) {
  const schema = yield* Effect.cached(
    Platform.call((client, signal) => client.catalog.schema(model, { signal })).pipe(
      Effect.map(({ input }): unknown => input)
    )
  )
  let input: InputPart.JsonObject = {}
  for (const part of parts) {
    if (part._tag === "Json") input = { ...input, ...(yield* objectOf(part.text, "input")) }
    else if (part._tag === "JsonFile") {
      const bytes = yield* FileInput.read(`@${part.file}`, part.file)
      input = { ...input, ...(yield* objectOf(Buffer.from(bytes).toString(), `@${part.file}`)) }
    } else if (/^@[^@]/.test(part.value)) {
      const { fileUrl } = yield* UploadOne.upload(part.value.slice(1), { isSilent })
      input = InputPart.set(input, part, fileUrl)
    } else if (part.value.startsWith("@")) {
      input = InputPart.set(input, part, part.value.slice(1))
    } else input = InputPart.set(input, part, yield* valueOf(part, schema))
  }
  return input
})
