/** Finds the files of an output: strings with `format: "uri"` in the JSON Schema. A `uri-reference` is not a file. */
import { _, Ajv2020, type CodeKeywordDefinition, type KeywordCxt } from "ajv/dist/2020.js"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Violation } from "#domain/Outcome.ts"

export interface MediaPointers {
  /** Whether the schema declares any file. */
  readonly isDeclared: boolean
  /** JSON pointers (RFC 6901) to a valid output's URLs, including those with `violations`. */
  of(output: Json): ReadonlyArray<string>
  /** One violation if a valid output names more files than are copied, because no provider URL may remain. */
  violations(output: Json): ReadonlyArray<Violation>
}

/** The most files of one output. */
const mostPlaces = 100

const empty: ReadonlyArray<never> = []

const nowhere: MediaPointers = { isDeclared: false, of: () => empty, violations: () => empty }

/** Throws if the schema does not compile (`JsonSchemaValidator` reports that). Free for a schema without the format. */
export const make = (schema: Model["outputSchema"]): MediaPointers => {
  const found: Array<string> = []
  const declared = { any: false }
  const validate = collectorOf(found, declared).compile(schema)
  if (!declared.any) return nowhere

  const of = (output: Json): ReadonlyArray<string> => {
    found.length = 0
    validate(output)
    return found.length === 0 ? empty : [...new Set(found)]
  }
  return { isDeclared: true, of, violations: (output) => (of(output).length > mostPlaces ? tooMany : empty) }
}

const tooMany: ReadonlyArray<Violation> = [
  { instancePath: "", message: `must not hold more than ${mostPlaces} URLs of files` }
]

/** A compiler for each schema, because what it compiles writes to `found`. */
const collectorOf = (found: Array<string>, declared: { any: boolean }): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false })
  ajv.removeKeyword("format")
  ajv.addKeyword({
    keyword: "format",
    type: "string",
    schemaType: "string",
    errors: false,
    compile: (format: string) => {
      if (format !== "uri") return () => true
      declared.any = true
      return (_text, context) => {
        if (context !== undefined) found.push(context.instancePath)
        return true
      }
    }
  })
  // An alternative that does not match declares nothing (JSON Schema 2020-12 core, section 7.7.1).
  for (const keyword of ["anyOf", "oneOf", "if", "contains", "not"])
    forgetting(ajv, keyword, found, "invalid")
  // A property's name is not a place in the output.
  forgetting(ajv, "propertyNames", found, "always")
  return ajv
}

/** Makes the compiled keyword discard what a failed subschema found. */
const forgetting = (
  ajv: Ajv2020,
  keyword: string,
  found: Array<string>,
  when: "invalid" | "always"
): void => {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== "object" || !("code" in rule.definition)) throw new Error(`expected a rule ${keyword}`)
  const definition: CodeKeywordDefinition = rule.definition
  const code = (context: KeywordCxt, type?: string): void => {
    const { gen } = context
    const places = gen.scopeValue("obj", { ref: found })
    const subschema = context.subschema.bind(context)
    context.subschema = (application, valid) => {
      const before = gen.const("before", _`${places}.length`)
      const result = subschema(application, valid)
      const forget = () => gen.code(_`${places}.length = ${before}`)
      if (when === "always") forget()
      else gen.if(_`!${valid}`, forget)
      return result
    }
    definition.code(context, type)
  }
  rule.definition = { ...rule.definition, code }
}
