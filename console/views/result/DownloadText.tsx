/** Saves a text as a file. */
import { Button } from "#console/design/actions/Button.tsx"

/** Time that the browser has to begin, ms. */
const keptMs = 10_000

export const saveText = (text: string, fileName: string, type = "text/plain") => {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement("a")
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), keptMs)
}

export const DownloadText = ({ fileName, text }: { readonly text: string; readonly fileName: string }) => (
  <Button kind="quiet" size="small" onPress={() => saveText(text, fileName)}>
    Download
  </Button>
)
