/** Validates values against the schemas of an OpenAPI document. */
import { Ajv2020 } from "ajv/dist/2020.js"

interface Described {
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** The document is registered as a whole, because references resolve within it. */
export const of = ({ components }: Described) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({
    $id: "inferlog:openapi",
    components
  })

  /** The error in the value; `null` if it is valid. */
  const breach = (schema: object, value: unknown): string | null => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"inferlog:openapi#/components')
    const validate = ajv.compile(JSON.parse(text))
    return validate(value) ? null : ajv.errorsText(validate.errors)
  }

  /** All examples of the schemas. */
  const examples = Object.entries(components.schemas).flatMap(([name, schema]) => {
    const given: unknown = Reflect.get(schema, "examples")
    const $ref = `#/components/schemas/${name}`
    return Array.isArray(given) ? given.map((example: unknown) => ({ name, schema: { $ref }, example })) : []
  })

  return { breach, examples }
}
