/** The input as JSON, to be edited. */
import * as JsonText from "#domain/JsonText.ts"
import { useState } from "react"
import type { Json } from "#domain/CanonicalJson.ts"
import { TextField } from "#console/design/fields/TextField.tsx"
import * as InputData from "../form/InputData.ts"

const parsed = (text: string): { readonly value: Json } | { readonly error: string } => {
  try {
    return { value: JsonText.parse(text) }
  } catch (error) {
    return {
      error: error instanceof Error ? `This is not JSON yet: ${error.message}` : "This is not JSON yet."
    }
  }
}

export const InputJson = ({
  error,
  onChange,
  value
}: {
  readonly value: Json
  readonly onChange: (value: Json) => void
  readonly error: string | null
}) => {
  const [text, setText] = useState(() => JsonText.indented(value))
  const own = parsed(text)
  // Of another input, such as the example: show that.
  const shown = "error" in own || InputData.isEqual(own.value, value) ? text : JsonText.indented(value)
  return (
    <TextField
      label="Input as JSON"
      hint="What the model is sent. The form shows the same."
      error={"error" in own && shown === text ? own.error : error}
      rows={16}
      isMono
      spellCheck="false"
      value={shown}
      onChange={(typed) => {
        setText(typed)
        const next = parsed(typed)
        if ("value" in next) onChange(next.value)
      }}
    />
  )
}
