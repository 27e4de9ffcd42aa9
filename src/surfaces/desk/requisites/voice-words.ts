/** The words of which source counts for an account, and which tells early. */
import { deskWords } from '../words.ts'

const en = {
  ...deskWords.en,
  voices: 'What is counted',
  voicesText:
    'On each day one source is counted, and one may report earlier. The first of each takes the place by itself; every other is refused, so that nothing counts twice.',
  roles: { booked: 'Counted from', early: 'Reports early' },
  from: 'From day',
  changedBy: 'Set by',
  ids: 'Row IDs',
  idKinds: {
    lasting: 'One ID per payment, for good',
    daily: 'IDs begin anew each day',
    none: 'No IDs, or none to rely on',
  },
  usualIds: 'As usual for the source',
  noVoice: 'No source has this place yet: the first one takes it.',
  openSince: (source: string) =>
    `No file of ${source} has closed the days since then. Import one that does; until then a booked payment may wait as parked or held. First open day:`,
  change: 'Change the source from a day on',
  changeText:
    'Let the first file of the new source overlap the old one by some days. For 14 days around the change both are accepted, and what the other source has not told waits for you.',
  changeApproval: 'In live mode a second person approves it.',
  role: 'Which place',
  source: 'Source',
  unused: (name: string) => `${name} (not used yet)`,
  save: 'Change source',
  chooseAll: 'Choose the place, the source and a day.',
  day: 'Look at a day',
  dayText: 'Pair the held rows of a day with what was told early, all at once.',
  look: 'Look',
}

type VoiceWords = typeof en

const ru: VoiceWords = {
  ...deskWords.ru,
  voices: 'По чему считается счёт',
  voicesText:
    'В каждый день считается один источник, и ещё один может сообщать заранее. Первый из каждых занимает место сам, остальные отклоняются, чтобы ничего не учлось дважды.',
  roles: { booked: 'Считается по', early: 'Сообщает заранее' },
  from: 'С какого дня',
  changedBy: 'Кто задал',
  ids: 'Номера строк',
  idKinds: {
    lasting: 'У платежа один номер навсегда',
    daily: 'Номера каждый день начинаются заново',
    none: 'Номеров нет или на них нельзя полагаться',
  },
  usualIds: 'Как обычно у источника',
  noVoice: 'Это место свободно: его займёт первый источник.',
  openSince: (source) =>
    `Ни один файл (${source}) не закрыл дни с этого времени. Загрузите такой; до тех пор проведённые платежи могут ждать. Первый открытый день:`,
  change: 'Сменить источник с какого-либо дня',
  changeText:
    'Пусть первый файл нового источника на несколько дней перекрывает прежний. Две недели вокруг смены принимаются оба, а то, о чём другой источник не сообщил, ждёт вашего решения.',
  changeApproval: 'В боевом режиме смену согласует второй сотрудник.',
  role: 'Какое место',
  source: 'Источник',
  unused: (name) => `${name} (ещё не использовался)`,
  save: 'Сменить источник',
  chooseAll: 'Выберите место, источник и день.',
  day: 'Посмотреть день',
  dayText: 'Соедините удержанные строки дня с тем, о чём сообщили заранее, — все сразу.',
  look: 'Посмотреть',
}

export const voiceWords = { en, ru } as const
