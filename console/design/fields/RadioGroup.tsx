/** A choice of one of few, all of them shown. */
import { FieldError, Label, Radio, RadioGroup as AriaRadioGroup, Text } from "react-aria-components"
import classes from "./Field.module.css"
import own from "./RadioGroup.module.css"
import type { Choice } from "./Select.tsx"

export const RadioGroup = <Value extends string>({
  choices,
  error = null,
  hint,
  isDisabled = false,
  label,
  onChange,
  value
}: {
  readonly label: string
  readonly choices: ReadonlyArray<Choice<Value>>
  /** `null`: nothing is chosen yet. */
  readonly value: Value | null
  readonly onChange: (value: Value) => void
  readonly hint?: string | undefined
  readonly error?: string | null
  readonly isDisabled?: boolean
}) => (
  <AriaRadioGroup
    className={classes["field"] ?? ""}
    value={value}
    onChange={(key) => {
      const found = choices.find((choice) => choice.value === key)
      if (found !== undefined) onChange(found.value)
    }}
    isInvalid={error !== null}
    isDisabled={isDisabled}
  >
    <Label className={classes["label"] ?? ""}>{label}</Label>
    <div className={own["choices"]}>
      {choices.map(({ label, value }) => (
        <Radio key={value} value={value} className={own["choice"] ?? ""}>
          {label}
        </Radio>
      ))}
    </div>
    {hint !== undefined && (
      <Text slot="description" className={classes["hint"] ?? ""}>
        {hint}
      </Text>
    )}
    <FieldError className={classes["error"] ?? ""}>{error}</FieldError>
  </AriaRadioGroup>
)
