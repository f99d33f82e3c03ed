/** JSON Schemas with values that they accept, for properties of generated types. */
import * as fc from "fast-check"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

export interface Sample {
  readonly schema: Json
  /** Candidates: most are valid. */
  readonly values: ReadonlyArray<Json>
}

/** Texts that would end a comment or a literal, change the direction of a text, or say something to a compiler. */
export const hostile: ReadonlyArray<string> = [
  "*/ export const broken: number = 'x' /*",
  '"""\nimport os\nos.abort()\n"""',
  'a """ + os.abort() + """ b',
  'ends with a quote "',
  "ends with a backslash \\",
  "`${process.exit(1)}`",
  "line one\nline two\r\n\u2028line three\u2029",
  "@ts-ignore",
  "@ts-expect-error",
  "# type: ignore",
  "type: int",
  "\u202e reversed \u0000 \u001b[31m",
  "</script>",
  "*\\/ \\*/ \\u002a/",
  "'''\\N{BULLET} \\x41 {0} %s"
]

/** Names that are words of a language, types that generated code uses, or no identifiers. */
const fieldNames = [
  ..."class def import default from type str int list dict None True object Any Literal".split(" "),
  ..."constructor toString hasOwnProperty self lambda async await new delete arguments".split(" "),
  "a-b",
  "a b",
  "1st",
  "",
  "ß",
  "日本",
  "é",
  "emoji 🙂",
  "$ref",
  "__private",
  "_",
  "a.b",
  "a/b",
  "'",
  '"',
  "\\",
  "\n",
  ..."image text value size".split(" ")
]

const name = fc.oneof(fc.constantFrom(...fieldNames), fc.constantFrom(...hostile))
const description = fc.option(fc.constantFrom(...hostile), { freq: 2, nil: undefined })

const described = (schema: Readonly<Record<string, Json>>, text: string | undefined): Json =>
  text === undefined ? schema : { ...schema, description: text }

const leaf: fc.Arbitrary<Sample> = fc
  .oneof(
    fc.constant<Sample>({ schema: { type: "string" }, values: ["", "x"] }),
    fc.constant<Sample>({ schema: { type: "string", format: "uri" }, values: ["https://a.example/b"] }),
    fc.constant<Sample>({ schema: { type: "string", minLength: 2, pattern: "^\\*/" }, values: ["*/ x"] }),
    fc.constant<Sample>({ schema: { type: "integer", minimum: 0, default: 3 }, values: [0, 7] }),
    fc.constant<Sample>({ schema: { type: "number", exclusiveMaximum: 2 }, values: [1.5, -3] }),
    fc.constant<Sample>({ schema: { type: "boolean" }, values: [true, false] }),
    fc.constant<Sample>({ schema: { type: "null" }, values: [null] }),
    fc.constant<Sample>({ schema: { type: ["string", "null"] }, values: ["x", null] }),
    fc.constant<Sample>({ schema: {}, values: [null, 1, "x", [1], { a: 1 }] }),
    fc.constant<Sample>({ schema: true, values: [1] }),
    fc
      .uniqueArray(fc.oneof(name, fc.integer({ min: -3, max: 3 }), fc.constantFrom(1.5, null, true)), {
        minLength: 1,
        maxLength: 5
      })
      .map((values): Sample => ({ schema: { enum: values }, values })),
    name.map((text): Sample => ({ schema: { const: text }, values: [text] })),
    fc.constant<Sample>({ schema: { const: { a: [1, { b: null }] } }, values: [{ a: [1, { b: null }] }] })
  )
  .chain((sample) =>
    description.map((text) =>
      typeof sample.schema === "object" && text !== undefined
        ? { ...sample, schema: { ...sample.schema, description: text } as Json }
        : sample
    )
  )

const firsts = ({ values }: Sample): Json => values[0] ?? null

const objectOf = (inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc
    .record({
      fields: fc.uniqueArray(fc.tuple(name, inner, fc.boolean()), {
        maxLength: 4,
        selector: ([name]) => name
      }),
      further: fc.option(fc.oneof(fc.constantFrom<Json>(true, false), inner), { nil: undefined }),
      text: description
    })
    .map(({ fields, further, text }): Sample => {
      const isSample = typeof further === "object" && further !== null && "schema" in further
      const additional = isSample ? (further as unknown as Sample).schema : (further as Json | undefined)
      const whole = Object.fromEntries(fields.map(([name, sample]) => [name, firsts(sample)]))
      const least = Object.fromEntries(
        fields
          .filter(([, , isRequired]) => isRequired)
          .map(([name, sample]) => [name, sample.values.at(-1) ?? null])
      )
      const more = isSample ? { ...whole, "one more": firsts(further as unknown as Sample) } : whole
      return {
        schema: described(
          {
            type: "object",
            properties: Object.fromEntries(fields.map(([name, { schema }]) => [name, schema])),
            required: fields.filter(([, , isRequired]) => isRequired).map(([name]) => name),
            ...(additional !== undefined && { additionalProperties: additional })
          },
          text
        ),
        values: [whole, least, more]
      }
    })

const { schema } = fc.letrec<{ schema: Sample }>((tie) => {
  const inner = tie("schema")
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      leaf,
      objectOf(inner),
      inner.map(({ schema, values }): Sample => ({
        schema: { type: "array", items: schema },
        values: [[], [...values]]
      })),
      fc
        .tuple(inner, inner, fc.integer({ min: 0, max: 2 }), fc.option(inner))
        .map(([a, b, least, rest]): Sample => ({
          schema: {
            type: "array",
            prefixItems: [a.schema, b.schema],
            ...(least > 0 && { minItems: least }),
            items: rest === null ? false : rest.schema
          },
          values: [
            [firsts(a), firsts(b)],
            [firsts(a), firsts(b)].slice(0, least),
            ...(rest === null ? [] : [[firsts(a), firsts(b), ...rest.values]])
          ]
        })),
      fc
        .tuple(fc.constantFrom("anyOf", "oneOf"), fc.array(inner, { minLength: 1, maxLength: 3 }))
        .map(([key, members]): Sample => ({
          schema: { [key]: members.map(({ schema }) => schema) },
          values: members.flatMap(({ values }) => values)
        })),
      fc.tuple(objectOf(leaf), objectOf(leaf)).map(([a, b]): Sample => ({
        schema: { allOf: [a.schema, b.schema] },
        values: [{ ...(firsts(a) as object), ...(firsts(b) as object) } as Json]
      })),
      fc.tuple(objectOf(leaf), inner).map(([a, b]): Sample => ({
        schema: { ...(a.schema as object), anyOf: [b.schema, {}] } as Json,
        values: [...a.values]
      }))
    )
  }
})

/** Schemas with definitions of their own, one of them recursive. */
export const samples: fc.Arbitrary<Sample> = fc
  .tuple(schema, schema, fc.boolean())
  .map(([a, b, isRecursive]) => {
    if (!isRecursive) return a
    const list = {
      type: "object",
      properties: {
        value: { $ref: "#/$defs/a~1b%20c" },
        next: { anyOf: [{ $ref: "#/$defs/list" }, { type: "null" }] }
      },
      required: ["value", "next"],
      additionalProperties: false
    }
    const value = firsts(a)
    return {
      schema: {
        $defs: {
          list,
          map: { type: "object", additionalProperties: { $ref: "#/$defs/map" } },
          "a/b c": a.schema,
          self: { $ref: "#/$defs/self" }
        },
        type: "object",
        properties: {
          list: { $ref: "#/$defs/list" },
          map: { $ref: "#/$defs/map" },
          self: { $ref: "#/$defs/self" },
          b: b.schema,
          whole: { $ref: "#" }
        },
        required: ["list"]
      },
      values: [
        {
          list: { value, next: { value, next: null } },
          map: { a: { b: {} } },
          b: firsts(b),
          whole: { list: { value, next: null } }
        }
      ]
    }
  })
