/** A choice along a line, by dragging or with the arrow keys. */
import { useId } from "react"
import classes from "./Field.module.css"

export const Slider = ({
  isDisabled = false,
  isLabelShown = true,
  label,
  least,
  most,
  onChange,
  step = 1,
  text,
  value
}: {
  readonly label: string
  readonly least: number
  readonly most: number
  readonly step?: number
  readonly value: number
  readonly onChange: (value: number) => void
  /** What the value means, shown beside the label and told to screen readers. */
  readonly text: string
  /** `false` beside a field that shows the same value. */
  readonly isLabelShown?: boolean
  readonly isDisabled?: boolean
}) => {
  const id = useId()
  return (
    <div className={classes["field"]}>
      {isLabelShown && (
        <span className={classes["sliderText"]}>
          <label htmlFor={id} className={classes["label"]}>
            {label}
          </label>
          <span aria-hidden>{text}</span>
        </span>
      )}
      <input
        id={id}
        type="range"
        className={classes["slider"]}
        min={least}
        max={most}
        step={step}
        value={value}
        disabled={isDisabled}
        aria-label={isLabelShown ? undefined : label}
        aria-valuetext={text}
        onChange={({ target }) => onChange(target.valueAsNumber)}
      />
    </div>
  )
}
