/** A text laid out as Markdown. HTML in it stays text; links open apart from the console, and pictures of others are links. */
import { type ComponentProps, useState } from "react"
import Markdown from "react-markdown"
import { Button } from "#console/design/actions/Button.tsx"
import * as MediaKind from "./MediaKind.ts"
import { useMediaOrigins } from "./MediaOrigins.ts"
import classes from "./Result.module.css"
import { TextView } from "./TextView.tsx"

const Outside = ({ children, href }: ComponentProps<"a">) => (
  <a href={href} target="_blank" rel="noopener noreferrer nofollow">
    {children}
  </a>
)

const Picture = ({ alt, src }: ComponentProps<"img">) => {
  const origins = useMediaOrigins()
  if (typeof src !== "string") return null
  return MediaKind.isAllowed(src, origins) ? (
    <img src={src} alt={alt ?? ""} />
  ) : (
    <Outside href={src}>{alt || src}</Outside>
  )
}

const components = { a: Outside, img: Picture }

const MarkdownView = ({ text }: { readonly text: string }) => {
  const [isPlain, setPlain] = useState(false)
  return (
    <div className={classes["textBlock"]}>
      {isPlain ? (
        <TextView text={text} />
      ) : (
        <div className={classes["markdown"]}>
          <Markdown components={components}>{text}</Markdown>
        </div>
      )}
      <div>
        <Button kind="quiet" size="small" onPress={() => setPlain(!isPlain)}>
          {isPlain ? "Show as Markdown" : "Show the text"}
        </Button>
      </div>
    </div>
  )
}

export default MarkdownView
