/** A text as it is. Of a long one the beginning, so that the page stays quick; the rest on request, or as a file. */
import { useMemo, useState } from "react"
import { saveFile } from "#console/api/SaveFile.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import classes from "./Result.module.css"

/** Characters that are shown at once, and with each step more. */
const step = 20_000

export const TextView = ({
  isLive = false,
  text
}: {
  readonly text: string
  /** It grows. */ readonly isLive?: boolean
}) => {
  const [shown, setShown] = useState(step)
  // Of a text that grows the end is of interest.
  const part = useMemo(() => (isLive ? text.slice(-shown) : text.slice(0, shown)), [isLive, text, shown])
  const isCut = part.length < text.length
  return (
    <div className={classes["textBlock"]}>
      <p className={classes["text"]}>
        {isLive && isCut && "… "}
        {part}
        {isLive && <span className={classes["caret"]} aria-hidden />}
      </p>
      {!isLive && (
        <Row>
          <CopyButton text={text} what="text" />
          {isCut && (
            <>
              <Button kind="quiet" size="small" onPress={() => setShown(shown + 5 * step)}>
                Show more of {text.length.toLocaleString()} characters
              </Button>
              <Button kind="quiet" size="small" onPress={() => saveFile("result.txt", "text/plain", text)}>
                Download
              </Button>
            </>
          )}
        </Row>
      )}
    </div>
  )
}
