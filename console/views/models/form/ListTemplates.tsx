/** Lists: their items, each of which can be moved and removed. */
import type { ArrayFieldItemTemplateProps, ArrayFieldTemplateProps } from "@rjsf/utils"
import { Button } from "#console/design/actions/Button.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import classes from "./Form.module.css"

export const ArrayTemplate = ({
  canAdd,
  disabled,
  items,
  onAddClick,
  rawErrors,
  required,
  schema,
  title
}: ArrayFieldTemplateProps) => (
  <fieldset className={classes["object"]}>
    <legend>
      {title}
      {required !== true && <span className={classes["optional"]}> (optional)</span>}
    </legend>
    {schema.description !== undefined && <p className={classes["hint"]}>{schema.description}</p>}
    <Stack gap={1}>{items}</Stack>
    {rawErrors !== undefined && rawErrors.length > 0 && <p className={classes["error"]}>{rawErrors[0]}</p>}
    {canAdd === true && (
      <div>
        <Button size="small" isDisabled={disabled === true} onPress={() => onAddClick()}>
          Add {items.length === 0 ? "an item" : "another"}
        </Button>
      </div>
    )}
  </fieldset>
)

export const ArrayItemTemplate = ({ buttonsProps, children, index }: ArrayFieldItemTemplateProps) => {
  const {
    disabled = false,
    hasMoveDown,
    hasMoveUp,
    hasRemove,
    onMoveDownItem,
    onMoveUpItem,
    onRemoveItem
  } = buttonsProps
  const place = index + 1
  return (
    <div className={classes["item"]}>
      <div className={classes["itemField"]}>{children}</div>
      <Row gap="half">
        <Button
          kind="quiet"
          size="small"
          isDisabled={disabled || !hasMoveUp}
          onPress={() => onMoveUpItem()}
          aria-label={`Move item ${place} up`}
        >
          ↑
        </Button>
        <Button
          kind="quiet"
          size="small"
          isDisabled={disabled || !hasMoveDown}
          onPress={() => onMoveDownItem()}
          aria-label={`Move item ${place} down`}
        >
          ↓
        </Button>
        <Button
          kind="quiet"
          size="small"
          isDisabled={disabled || !hasRemove}
          onPress={() => onRemoveItem()}
          aria-label={`Remove item ${place}`}
        >
          Remove
        </Button>
      </Row>
    </div>
  )
}
