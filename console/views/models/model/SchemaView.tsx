/** The input and output of a model, field by field, and as JSON Schema. */
import * as JsonText from "#domain/JsonText.ts"
import { useMemo, useState } from "react"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { Code } from "#console/design/data/Code.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { Switch } from "#console/design/fields/Switch.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import classes from "./Schema.module.css"
import * as SchemaRows from "./SchemaRows.ts"

const Fields = ({ fields }: { readonly fields: ReadonlyArray<SchemaRows.SchemaField> }) => (
  <ul className={classes["fields"]}>
    {fields.map(({ description, fields, isRequired, name, rules, type }, index) => (
      // Alternatives may name a field twice.
      <li key={`${name} ${index}`}>
        <div className={classes["head"]}>
          <code className={classes["name"]}>{name}</code>
          <span className={classes["type"]}>{type}</span>
          {isRequired && <Badge kind="info">required</Badge>}
        </div>
        {description !== null && <p>{description}</p>}
        {rules.map((rule) => (
          <p key={rule} className={classes["rule"]}>
            {rule}
          </p>
        ))}
        {fields.length > 0 && <Fields fields={fields} />}
      </li>
    ))}
  </ul>
)

const Described = ({ schema, title }: { readonly schema: JsonObject; readonly title: string }) => {
  const [isRaw, setRaw] = useState(false)
  const { description, fields, rules, type } = useMemo(() => SchemaRows.of(schema), [schema])
  return (
    <Section
      title={title}
      lead={description ?? undefined}
      actions={
        <Switch isSelected={isRaw} onChange={setRaw}>
          JSON Schema
        </Switch>
      }
    >
      {isRaw ? (
        <Code label={`JSON Schema: ${title}`} text={JsonText.indented(schema)} />
      ) : fields.length > 0 ? (
        <Fields fields={fields} />
      ) : (
        <p className={classes["type"]}>{[type, ...rules].join(". ")}</p>
      )}
    </Section>
  )
}

export const SchemaView = ({
  input,
  output
}: {
  readonly input: JsonObject
  readonly output: JsonObject
}) => (
  <Stack gap={3}>
    <Described title="Input" schema={input} />
    <Described title="Output" schema={output} />
  </Stack>
)
