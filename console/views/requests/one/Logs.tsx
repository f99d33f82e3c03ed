/** The log lines of a request as they come. The newest stay in sight while "follow" is on. */
import { useEffect, useRef, useState } from "react"
import { saveFile } from "#console/api/SaveFile.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { CopyButton } from "#console/design/actions/CopyButton.tsx"
import { classNames } from "#console/design/classNames.ts"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Switch } from "#console/design/fields/Switch.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import classes from "./One.module.css"

/** How close to the end counts as the end, px. */
const nearPx = 24

export const Logs = ({
  id,
  isOpen,
  text
}: {
  readonly id: string
  readonly text: string
  readonly isOpen: boolean
}) => {
  const [isFollowed, setFollowed] = useState(true)
  const [isWrapped, setWrapped] = useState(true)
  const ref = useRef<HTMLPreElement>(null)
  useEffect(() => {
    const element = ref.current
    if (isFollowed && isOpen && element !== null) element.scrollTop = element.scrollHeight
  }, [text, isFollowed, isOpen])
  // New lines are followed at the end only, so that a reader who has scrolled up stays there.
  const onScroll = () => {
    const element = ref.current
    if (element === null || !isOpen) return
    setFollowed(element.scrollHeight - element.scrollTop - element.clientHeight < nearPx)
  }
  return (
    <Section
      title="Logs"
      actions={
        text !== "" && (
          <>
            {isOpen && (
              <Switch isSelected={isFollowed} onChange={setFollowed}>
                Follow
              </Switch>
            )}
            <Switch isSelected={isWrapped} onChange={setWrapped}>
              Wrap
            </Switch>
            <CopyButton text={text} what="logs" />
            <Button kind="quiet" size="small" onPress={() => saveFile(`${id}.log`, "text/plain", text)}>
              Download
            </Button>
          </>
        )
      }
    >
      {text === "" ? (
        <EmptyState title={isOpen ? "No log lines yet" : "The run wrote no log lines"} />
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- A part that scrolls must be reached by keyboard.
        <pre
          ref={ref}
          tabIndex={0}
          role="log"
          aria-label="Log lines"
          onScroll={onScroll}
          className={classNames(classes["logs"], isWrapped && classes["wrapped"])}
        >
          {text}
        </pre>
      )}
    </Section>
  )
}
