/** A value of any form, as JSON. A text that is not JSON is the text itself. */
import type { FieldProps } from "@rjsf/utils"
import { useState } from "react"
import * as JsonText from "#domain/JsonText.ts"
import { TextField } from "#console/design/fields/TextField.tsx"
import * as IssueText from "./IssueText.ts"

const valueOf = (text: string): unknown => {
  if (text.trim() === "") return undefined
  try {
    return JsonText.parse(text)
  } catch {
    return text
  }
}

const isRounded = (text: string): boolean => {
  try {
    return JsonText.longIntegers(JsonText.parse(`[${text}]`)).length > 0
  } catch {
    return false
  }
}

const isJson = (text: string) => typeof valueOf(text) !== "string" || text.trim().startsWith('"')

const textOf = (value: unknown): string => {
  if (value === undefined) return ""
  return typeof value === "string" && !isJson(value) ? value : JSON.stringify(value, null, 2)
}

export const JsonField = ({
  disabled,
  fieldPathId,
  formData,
  name,
  onChange,
  rawErrors,
  required,
  schema
}: FieldProps) => {
  const [text, setText] = useState(() => textOf(formData))
  const isSame = JSON.stringify(valueOf(text)) === JSON.stringify(formData)
  return (
    <TextField
      id={fieldPathId.$id}
      label={schema.title ?? name}
      hint={[schema.description, "JSON."].filter((part) => part !== undefined).join(" ")}
      error={rawErrors?.[0] ?? (isSame && isRounded(text) ? IssueText.rounded : null)}
      isOptional={required !== true}
      isDisabled={disabled === true}
      rows={4}
      isMono
      spellCheck="false"
      value={isSame ? text : textOf(formData)}
      onChange={(typed) => {
        setText(typed)
        onChange(valueOf(typed), fieldPathId.path)
      }}
    />
  )
}
