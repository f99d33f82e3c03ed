/** The frame of all views: brand, navigation, and who is signed in. On narrow windows the navigation is behind a button. */
import { Link, Outlet, useRouteContext } from "@tanstack/react-router"
import { useState } from "react"
import { consolePath } from "#console/api/Client.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { classNames } from "#console/design/classNames.ts"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import { Banner } from "../connection/Banner.tsx"
import { Shortcuts } from "../shortcuts/Shortcuts.tsx"
import { Navigation } from "./Navigation.tsx"
import { SessionMenu } from "./SessionMenu.tsx"
import classes from "./Shell.module.css"

export const Shell = () => {
  const { session } = useRouteContext({ from: "/shell" })
  const [isOpen, setOpen] = useState(false)
  const [isListed, setListed] = useState(false)
  const close = () => setOpen(false)
  return (
    <div className={classes["shell"]}>
      <a href="#main" className={classes["skip"]}>
        Skip to the content
      </a>
      <header className={classNames("top-bar", classes["top"])}>
        <span className={classes["opener"]}>
          <Button kind="quiet" aria-label="Menu" onPress={() => setOpen(true)}>
            ☰
          </Button>
        </span>
        <Link to="/" className="brand" activeProps={{}}>
          <img src={`${consolePath}/icon.svg`} alt="" width={24} height={24} />
          inferlog
        </Link>
        <SessionMenu session={session} onShortcuts={() => setListed(true)} />
      </header>
      <aside className={classes["side"]}>
        <Navigation session={session} />
      </aside>
      <Dialog title="Menu" form="side" isOpen={isOpen} onClose={close}>
        <Navigation session={session} onFollow={close} />
      </Dialog>
      <Shortcuts session={session} isListed={isListed} onList={setListed} />
      <main id="main" tabIndex={-1} className={classes["main"]}>
        <div className={classes["banner"]}>
          <Banner />
        </div>
        <Outlet />
      </main>
    </div>
  )
}
