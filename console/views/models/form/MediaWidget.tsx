/** The address of a file: typed, or that of a file which is dropped, pasted or chosen, and uploaded with progress. */
import type { WidgetProps } from "@rjsf/utils"
import { useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { bytesText } from "#console/design/data/Bytes.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { FileDrop } from "#console/design/fields/FileDrop.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import * as MediaKind from "#console/views/result/MediaKind.ts"
import { useMediaOrigins } from "#console/views/result/MediaOrigins.ts"
import { AccountFiles } from "./AccountFiles.tsx"
import classes from "./Form.module.css"
import * as WidgetParts from "./WidgetParts.ts"
import { useUpload } from "./Upload.ts"

/** What a field of this name takes. */
const familyOf = (name: string): string | null => {
  if (/image|picture|photo|mask/i.test(name)) return "image/*"
  if (/audio|voice|sound|speech/i.test(name)) return "audio/*"
  return /video|film|clip/i.test(name) ? "video/*" : null
}

const nouns: Readonly<Record<string, string>> = {
  "image/*": "a picture",
  "audio/*": "a sound",
  "video/*": "a film"
}

const Preview = ({ family, url }: { readonly url: string; readonly family: string | null }) => {
  const origins = useMediaOrigins()
  const kind = MediaKind.ofUrl(url, true) ?? "file"
  const isPicture = kind === "image" || (kind === "file" && family === "image/*")
  if (!MediaKind.isAllowed(url, origins)) return null
  if (isPicture) return <img className={classes["preview"]} src={url} alt="The chosen file" />
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- The reader's own file.
  return kind === "audio" ? <audio controls src={url} /> : null
}

export const MediaWidget = (props: WidgetProps) => {
  const { schema: _, ...field } = WidgetParts.of(props)
  const value: string = typeof props.value === "string" ? props.value : ""
  const family = familyOf(props.name)
  const { cancel, retry, state, upload } = useUpload((url) => props.onChange(url))
  const [isBrowsing, setBrowsing] = useState(false)
  const isData = value.startsWith("data:")
  return (
    <div className={classes["media"]}>
      <TextField
        {...field}
        id={props.id}
        placeholder="https://…"
        autoComplete="off"
        spellCheck="false"
        value={value}
        onChange={(text) => props.onChange(text === "" ? undefined : text.trim())}
      />
      {state.kind === "sending" && (
        <div className={classes["chosen"]}>
          <div className={classes["about"]}>
            <ProgressBar label={`Uploading ${state.file.name}`} fraction={state.fraction} />
          </div>
          <Button size="small" onPress={cancel}>
            Cancel
          </Button>
        </div>
      )}
      {state.kind === "failed" && (
        <Notice
          kind="alarm"
          title={`${state.file.name} was not uploaded`}
          error={state.error}
          action={<Button onPress={retry}>Try again</Button>}
        />
      )}
      {state.kind !== "sending" && value !== "" && (
        <div className={classes["chosen"]}>
          <Preview url={value} family={family} />
          <span className={classes["about"]}>
            {isData
              ? `A file within the input, ${bytesText(value.length)}`
              : MediaKind.fileName(value, value)}
          </span>
          <Button size="small" kind="quiet" onPress={() => props.onChange(undefined)}>
            Remove
          </Button>
        </div>
      )}
      {state.kind !== "sending" && !field.isDisabled && (
        <FileDrop
          label={`Drop ${(family !== null && nouns[family]) || "a file"} here`}
          {...(family === null ? {} : { accept: [family] })}
          onFiles={([file]) => {
            if (file !== undefined) upload(file)
          }}
        >
          <Button size="small" kind="quiet" onPress={() => setBrowsing(true)}>
            Your files
          </Button>
        </FileDrop>
      )}
      {isBrowsing && (
        <AccountFiles
          contentType={family}
          onClose={() => setBrowsing(false)}
          onChoose={(url) => {
            setBrowsing(false)
            props.onChange(url)
          }}
        />
      )}
    </div>
  )
}
