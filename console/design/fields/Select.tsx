/** A choice of one from a list. */
import {
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text
} from "react-aria-components"
import { classNames } from "../classNames.ts"
import overlay from "../overlays/Overlays.module.css"
import classes from "./Field.module.css"

export interface Choice<Value extends string> {
  readonly value: Value
  readonly label: string
}

export const Select = <Value extends string>({
  choices,
  error = null,
  hint,
  isDisabled = false,
  label,
  onChange,
  placeholder = "Choose",
  value
}: {
  readonly label: string
  readonly choices: ReadonlyArray<Choice<Value>>
  /** `null`: nothing is chosen yet. */
  readonly value: Value | null
  readonly onChange: (value: Value) => void
  readonly hint?: string | undefined
  readonly error?: string | null
  readonly placeholder?: string
  readonly isDisabled?: boolean
}) => (
  <AriaSelect
    className={classes["field"] ?? ""}
    value={value}
    onChange={(key) => {
      const found = choices.find((choice) => choice.value === key)
      if (found !== undefined) onChange(found.value)
    }}
    placeholder={placeholder}
    isInvalid={error !== null}
    isDisabled={isDisabled}
  >
    <Label className={classes["label"] ?? ""}>{label}</Label>
    <Button className={classNames(classes["input"], classes["choice"])}>
      <SelectValue />
      <span aria-hidden>▾</span>
    </Button>
    {hint !== undefined && (
      <Text slot="description" className={classes["hint"] ?? ""}>
        {hint}
      </Text>
    )}
    <FieldError className={classes["error"] ?? ""}>{error}</FieldError>
    <Popover className={overlay["popover"] ?? ""}>
      <ListBox className={overlay["menu"] ?? ""}>
        {choices.map(({ label, value }) => (
          <ListBoxItem key={value} id={value} textValue={label} className={overlay["item"] ?? ""}>
            {label}
          </ListBoxItem>
        ))}
      </ListBox>
    </Popover>
  </AriaSelect>
)
