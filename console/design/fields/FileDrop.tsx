/** A place for files: dropped, pasted while it has the focus, or browsed for. */
import type { ReactNode } from "react"
import { Button as AriaButton, DropZone, FileTrigger, Text } from "react-aria-components"
import { classNames } from "../classNames.ts"
import button from "../actions/Button.module.css"
import classes from "./FileDrop.module.css"

/** Copied pictures that are no files, such as pictures of the screen: React Aria leaves them out of a paste. */
const picturesIn = ({ items }: DataTransfer): ReadonlyArray<File> => {
  const files = [...items].filter(({ kind }) => kind === "file")
  // Firefox has a picture beside a copied file, too.
  return files.some((item) => item.webkitGetAsEntry() !== null)
    ? []
    : files.flatMap((item) => item.getAsFile() ?? [])
}

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
    <div onPaste={({ clipboardData }) => take(picturesIn(clipboardData))}>
      <DropZone
        className={classes["zone"] ?? ""}
        aria-label={label}
        getDropOperation={() => "copy"}
        // Pasted files come as drops, too.
        onDrop={({ items }) => {
          void Promise.all(items.map((item) => (item.kind === "file" ? item.getFile() : null))).then(
            (files) => take(files.filter((file) => file !== null))
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
    </div>
  )
}
