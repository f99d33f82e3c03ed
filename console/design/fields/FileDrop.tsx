/** A place for files: dropped, pasted while it has the focus, or browsed for. */
import type { ReactNode } from "react"
import { Button as AriaButton, DropZone, FileTrigger, Text } from "react-aria-components"
import { classNames } from "../classNames.ts"
import button from "../actions/Button.module.css"
import classes from "./FileDrop.module.css"

export const FileDrop = ({
  accept,
  children,
  isMultiple = false,
  label,
  onFiles
}: {
  /** What is asked for, such as "Drop a picture". */
  readonly label: string
  readonly onFiles: (files: ReadonlyArray<File>) => void
  /** Media types, such as `image/*`. */
  readonly accept?: ReadonlyArray<string>
  readonly isMultiple?: boolean
  /** Other ways, beside the button. */
  readonly children?: ReactNode
}) => {
  const take = (files: ReadonlyArray<File>) => {
    if (files.length > 0) onFiles(isMultiple ? files : files.slice(0, 1))
  }
  return (
    <DropZone
      className={classes["zone"] ?? ""}
      aria-label={label}
      getDropOperation={() => "copy"}
      // Pastes come as drops, too.
      onDrop={({ items }) => {
        void Promise.all(items.map((item) => (item.kind === "file" ? item.getFile() : null))).then((files) =>
          take(files.filter((file) => file !== null))
        )
      }}
    >
      <Text slot="label" className={classes["label"] ?? ""}>
        {label}, paste it, or
      </Text>
      <FileTrigger
        {...(accept === undefined ? {} : { acceptedFileTypes: [...accept] })}
        allowsMultiple={isMultiple}
        onSelect={(files) => take([...(files ?? [])])}
      >
        <AriaButton className={classNames(button["button"], button["small"])}>Choose a file</AriaButton>
      </FileTrigger>
      {children}
    </DropZone>
  )
}
