/** Copies a text, and says that it has. */
import { useEffect, useState } from "react"
import { Button } from "./Button.tsx"

/** How long "Copied" is shown, ms. */
const shownMs = 2_000

export const CopyButton = ({
  label = "Copy",
  text,
  what
}: {
  readonly text: string
  /** What is copied, for screen readers, such as "request id". */
  readonly what: string
  readonly label?: string
}) => {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no")
  useEffect(() => {
    if (copied === "no") return
    const timer = setTimeout(() => setCopied("no"), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      () => setCopied("failed")
    )
  const said = { no: label, yes: "Copied", failed: "Not copied" }[copied]
  return (
    <Button kind="quiet" size="small" onPress={copy} aria-label={copied === "no" ? `Copy ${what}` : said}>
      {said}
    </Button>
  )
}
