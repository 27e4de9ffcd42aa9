/** The styles and the scripts of both consoles. */
import { fileBeside, scriptAsset, sheetAsset } from '../web/assets.ts'
import { linkedStylesheet } from '../web/page.ts'

const own = (name: string) => fileBeside(import.meta.url, name)

export const consoleScript = scriptAsset('console', own('console.client.ts'))
const consoleSheet = sheetAsset('console', own('console.css'))
export const consoleStyles = linkedStylesheet(consoleSheet.name)

export const staffAssets = [consoleScript, consoleSheet]
