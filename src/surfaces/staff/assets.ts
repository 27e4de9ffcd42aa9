/** The styles and the scripts of both consoles. */
import { fileBeside, scriptAsset, sheetAsset } from '../web/assets.ts'
import { linkedStylesheet } from '../web/page.ts'

const own = (name: string) => fileBeside(import.meta.url, name)
/** uPlot as it is published and the script that draws with it, in one file, because pages need both or neither. */
const uplot = (name: string) => fileBeside(import.meta.resolve(`uplot/dist/${name}`), name)

export const consoleScript = scriptAsset('console', own('console.client.ts'))
export const plotScript = scriptAsset('plot', `${uplot('uPlot.iife.min.js')}\n${own('plot.client.ts')}`)
const consoleSheet = sheetAsset(
  'console',
  `${uplot('uPlot.min.css')}\n${own('console.css')}\n${own('../office/office.css')}`,
)
export const consoleStyles = linkedStylesheet(consoleSheet.name)

export const staffAssets = [consoleScript, plotScript, consoleSheet]
