/** A text laid out as Markdown. HTML in it stays text; links open apart from the console, and pictures of others are links. */
import { type ComponentProps, useState } from "react"
import Markdown, { type Components, defaultUrlTransform } from "react-markdown"
import remarkGfm from "remark-gfm"
import { Button } from "#console/design/actions/Button.tsx"
import * as MediaKind from "./MediaKind.ts"
import { useMediaOrigins } from "./MediaOrigins.ts"
import { Picture } from "./Picture.tsx"
import classes from "./Result.module.css"
import { TextView } from "./TextView.tsx"

/** Links that do not say where they lead, as to views of the console, stay texts. */
const Outside = ({ children, href }: ComponentProps<"a">) =>
  href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )

const Inside = ({ alt, src }: ComponentProps<"img">) => {
  const origins = useMediaOrigins()
  if (typeof src !== "string") return null
  return MediaKind.isAllowed(src, origins) ? (
    <Picture src={src} alt={alt ?? ""} />
  ) : (
    <Outside href={src}>
      {alt || "Picture"} ({MediaKind.siteOf(src)})
    </Outside>
  )
}

/** Its headings stand below those of the page. */
const components: Components = {
  a: Outside,
  img: Inside,
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
  input: ({ checked }) => <span>{checked === true ? "☑" : "☐"}</span>
}

const plugins = [remarkGfm]

/** Addresses of scripts are dropped; pictures within the text remain. */
const address = (url: string, name: string) =>
  name === "src" && /^data:image\//i.test(url) ? url : defaultUrlTransform(url)

const MarkdownView = ({ text }: { readonly text: string }) => {
  const [isPlain, setPlain] = useState(false)
  return (
    <div className={classes["textBlock"]}>
      {isPlain ? (
        <TextView text={text} />
      ) : (
        <div className={classes["markdown"]}>
          <Markdown components={components} remarkPlugins={plugins} urlTransform={address}>
            {text}
          </Markdown>
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
