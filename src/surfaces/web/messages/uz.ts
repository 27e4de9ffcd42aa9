/**
 * Uzbek, in Latin script, with ʻ (U+02BB) in oʻ and gʻ. A deadline stands after a colon, because the suffix
 * for "until" could not be joined to its closing bracket.
 */
import { pluralOf } from './plural.ts'
import type { Messages } from './ru.ts'

const minutes = pluralOf('uz', { one: 'daqiqa', other: 'daqiqa' })

export const uz: Messages = {
  ownName: 'Oʻzbekcha',
  languages: 'Til',

  title: 'Oʻtkazma orqali toʻlov',
  testMode: 'Sinov rejimi: pul oʻtkazmang',
  order: 'Buyurtma',
  exactly: 'Aynan shu summani bitta toʻlov bilan oʻtkazing',
  until: (time) => `Toʻlov muddati: ${time}`,
  left: 'Qoldi',
  minutesLeft: (count) => `${count} ${minutes(count)} qoldi.`,

  copyOf: (label) => `Nusxalash: ${label}`,
  copied: 'Nusxalandi',
  copyFailed: 'Belgilandi: qoʻlda nusxalang',

  rows: {
    amount: 'Summa',
    card: 'Karta raqami',
    phone: 'Telefon raqami',
    account: 'Hisob raqami',
    iban: 'Hisob raqami (IBAN)',
    recipient: 'Qabul qiluvchi',
    bank: 'Bank',
    bic: 'BIK',
    mfo: 'MFO',
    corrAccount: 'Korr. hisob',
    taxId: 'STIR (INN)',
    taxIdKz: 'BIN/IIN',
    kpp: 'KPP',
    kbe: 'KBE',
    knp: 'KNP',
    purpose: 'Toʻlov maqsadi',
    reference: 'Murojaat uchun raqam',
    received: 'Kelib tushdi',
    paidAt: 'Vaqt',
  },
  keepPurpose: 'Bu matnni oʻzgartirmang: toʻlovingiz shu matn orqali aniqlanadi.',

  openBank: 'Bank ilovasini ochish',
  saveBill: 'Rekvizitlarni saqlash',
  scanWithBank: 'Bank ilovasida skanerlang',
  continueOnPhone: 'Telefonda davom eting',
  bankCode: (amount, name) => `Oʻtkazma uchun QR-kod: ${amount}, qabul qiluvchi: ${name}`,
  pageCode: 'Shu sahifa manzili yozilgan QR-kod',

  howTo: 'Qanday toʻlanadi',
  steps: {
    card: 'Bankingiz ilovasini oching va karta raqami boʻyicha oʻtkazmani tanlang.',
    phone: (bank) =>
      `Bankingiz ilovasini oching va telefon raqami boʻyicha oʻtkazmani (SBP) tanlang, qabul qiluvchi banki: ${bank}.`,
    account: 'Bankingiz ilovasini oching va rekvizitlar boʻyicha oʻtkazmani tanlang.',
    check: 'Rekvizitlarni va aynan shu summani kiriting. Qabul qiluvchining ismi yoki nomini tekshiring.',
    claim: 'Oʻtkazmadan keyin shu yerga qayting va “Pul yuborildi” tugmasini bosing.',
  },
  questions: 'Savollar',
  closeAsk: 'Sahifa yopilsa, nima boʻladi?',
  closeAnswer: 'Hech narsa yoʻqolmaydi: havola ishlayveradi, oʻtkazmani esa siz boʻlmasangiz ham koʻramiz.',
  lateAsk: 'Keyinroq oʻtkazilsa, nima boʻladi?',
  lateAnswer: (time) =>
    `Oʻtkazmani shu vaqtgacha qabul qilamiz: ${time}. Lekin tekshiruv koʻproq vaqt olishi mumkin.`,
  twiceAsk: 'Ikki marta oʻtkazilsa, nima boʻladi?',
  twiceAnswer: 'Ikkinchi oʻtkazma kerak emas. Ortiqcha pulni qaytarib olish uchun doʻkonga murojaat qiling.',

  safety: {
    compareName: 'Bank shu ism yoki nomni koʻrsatadi. Agar boshqasi chiqsa, pul oʻtkazmang.',
    transferOnly: 'Siz oʻz bankingizda oʻtkazma qilasiz. Bu karta bilan toʻlov emas.',
    neverAsk: 'Biz hech qachon CVV, PIN va SMS kodlarini soʻramaymiz.',
    ourAddress: 'Bu sahifaning manzili:',
  },

  claim: 'Pul yuborildi',
  refresh: 'Holatni yangilash',
  giveUp: 'Toʻlovdan voz kechish',
  help: 'Yordam',
  helpText: 'Buyurtma va toʻlov haqidagi savollar bilan doʻkonga murojaat qiling va shu raqamni ayting:',
  toShop: 'Doʻkonga qaytish',
  returnsIn: 'Doʻkonga qaytishgacha:',
  seconds: 'soniya',
  stay: 'Qolish',
  print: 'Chop etish',

  choose: {
    head: 'Toʻlov usulini tanlang',
    one: 'Toʻlov usuli',
    until: (time) => `Tanlash muddati: ${time}`,
    next: 'Davom etish',
    unavailable: 'Hozir mavjud emas',
    ranOut: 'Bu usul hozir mavjud emas. Boshqasini tanlang.',
    none: 'Hozir birorta ham toʻlov usuli mavjud emas. Bir necha daqiqadan keyin sahifani yangilang.',
    pickOne: 'Toʻlov usulini tanlang.',
    needs: {
      card: 'Karta raqami boʻyicha pul oʻtkazish mumkin boʻlgan bank ilovasi kerak boʻladi.',
      phone: 'Telefon raqami boʻyicha pul oʻtkazish mumkin boʻlgan bank ilovasi kerak boʻladi.',
      account: 'Hisob rekvizitlari boʻyicha pul oʻtkazish mumkin boʻlgan bank ilovasi kerak boʻladi.',
    },
  },
  methods: {
    any_bank: 'Istalgan bank kartasiga',
    sbp: 'SBP, telefon raqami boʻyicha',
    bankx: 'Bank X kartasiga',
    account_number: 'Bank hisob raqamiga',
  },

  status: {
    choose: 'Tanlovingizni kutyapmiz',
    pay: 'Oʻtkazmangizni kutyapmiz',
    checking: 'Oʻtkazmani tekshiryapmiz',
    short: 'Keragidan kam pul keldi',
    success: 'Toʻlov qabul qilindi',
    rejected: 'Toʻlov rad etildi',
    expired: 'Toʻlov vaqti tugadi',
    closed: 'Toʻlov vaqti tugadi',
    canceled: 'Doʻkon toʻlovni bekor qildi',
    reversed: 'Bank toʻlovni qaytarib oldi',
  },
  progress: { sent: 'Yuborildi', received: 'Keldi', confirmed: 'Tasdiqlandi' },
  checking: {
    looking: (amount) =>
      `${amount} miqdoridagi oʻtkazmani qidiryapmiz. Bankka qarab bir necha daqiqadan bir ish kunigacha vaqt ketadi.`,
    review: 'Pul keldi. Toʻlovni xodim tekshirmoqda, bu koʻproq vaqt olishi mumkin.',
    part: (received, amount) =>
      `Kelib tushdi: ${received}, kerak: ${amount}. Hozircha yana yubormang: keyin nima boʻlishini doʻkon yoki operator hal qiladi.`,
    mayClose: 'Bu sahifani yopish mumkin.',
  },
  short: {
    text: (received, amount) => `Kelib tushdi: ${received}, kerak: ${amount}.`,
    same: 'Avvalgi rekvizitlar va toʻlov maqsadini kiriting.',
    samePayer: 'Avvalgi karta yoki hisobdan yuboring.',
    exactly: 'Aynan yetishmayotgan summani oʻtkazing',
  },
  success: {
    text: 'Rahmat. Bu haqda doʻkonga xabar beryapmiz.',
    overpaid: 'Keragidan koʻp pul keldi. Farqni qaytarib olish uchun doʻkonga murojaat qiling.',
    late: 'Oʻtkazma muddatidan keyin keldi, lekin qabul qilindi.',
    receipt: 'Kvitansiya',
  },
  rejected: {
    byCustomer: 'Siz toʻlovdan voz kechdingiz',
    byOther: 'Bu toʻlov qabul qilinmadi. Sababini doʻkondan soʻrang.',
    money:
      'Agar pul yuborilgan boʻlsa, u yoʻqolmaydi: doʻkonga murojaat qiling va shu sahifadagi raqamni ayting.',
  },
  expired: {
    sent: (time) =>
      `Yuborib boʻldingizmi? Ikkinchi marta yubormang. Oʻtkazmangizni shu vaqtgacha kutamiz: ${time}.`,
    notSent: 'Hali yoʻqmi? Yubormang: doʻkonda qaytadan boshlang.',
    claimed: 'Rahmat, oʻtkazmangizni qidiryapmiz.',
  },
  closed: {
    text: 'Bu havola orqali endi toʻlab boʻlmaydi.',
    money: 'Agar pul yuborilgan boʻlsa, doʻkonga murojaat qiling va shu sahifadagi raqamni ayting.',
    unchosen: 'Toʻlov usuli tanlanmagan. Doʻkonda qaytadan boshlang.',
  },
  canceled: { text: 'Bu havola orqali pul oʻtkazmang.' },
  reversed: { text: 'Bank pulni yuboruvchiga qaytardi. Doʻkonga murojaat qiling.' },

  giveUpPage: {
    head: 'Toʻlovdan voz kechasizmi?',
    text: 'Toʻlov yopiladi va unga qaytib boʻlmaydi. Agar oʻtkazma yuborilgan boʻlsa, voz kechmang.',
    yes: 'Ha, voz kechaman',
    no: 'Yoʻq, toʻlovga qaytaman',
  },
  gone: {
    head: 'Sahifa topilmadi',
    text: 'Havola toʻliq emas yoki notoʻgʻri. Uni doʻkondan qayta oching.',
  },
  failed: {
    crossSite: {
      head: 'Amal bajarilmadi',
      text: 'Soʻrov boshqa saytdan keldi, shuning uchun hech narsa oʻzgarmadi. Toʻlovga qayting va yana urinib koʻring.',
    },
    tooMany: { head: 'Urinishlar juda koʻp', text: 'Bir daqiqa kuting va sahifani yangilang.' },
    other: {
      head: 'Amalga oshmadi',
      text: 'Hech narsa oʻzgarmadi. Toʻlovga qayting va yana urinib koʻring.',
    },
    fault: { head: 'Bizda xatolik yuz berdi', text: 'Bir daqiqadan keyin sahifani yangilang.' },
    money: 'Agar pul yuborilgan boʻlsa, u yoʻqolmaydi.',
    back: 'Toʻlovga qaytish',
  },

  panel: {
    head: 'Sinov banki',
    text: 'Bank rolini oʻynang: hisobga nima tushdi?',
    exact: 'Aniq',
    less: 'Kam',
    more: 'Koʻp',
    late: 'Muddatdan keyin',
    twice: 'Ikki marta',
    reject: 'Rad etish',
  },

  bill: {
    title: (amount, shop) => `Toʻlov hisobi: ${amount}, ${shop}`,
    until: (time) => `muddati: ${time}`,
    test: 'SINOV',
    leads: {
      choose: 'Toʻlov usuli hali tanlanmagan.',
      pay: 'Aynan shu summani bitta toʻlov bilan oʻtkazing,',
      expired: 'Toʻlov vaqti tugadi. Pul oʻtkazmang.',
      closed: 'Toʻlov vaqti tugadi. Pul oʻtkazmang.',
      success: 'Toʻlov qabul qilindi.',
      rejected: 'Toʻlov rad etildi. Pul oʻtkazmang.',
      canceled: 'Doʻkon toʻlovni bekor qildi. Pul oʻtkazmang.',
      reversed: 'Bank toʻlovni qaytarib oldi.',
    },
    stamps: {
      expired: 'VAQT TUGADI',
      closed: 'VAQT TUGADI',
      success: 'TOʻLANDI',
      rejected: 'RAD ETILDI',
      canceled: 'BEKOR QILINDI',
      reversed: 'QAYTARIB OLINDI',
    },
  },

  cities: { RUB: 'Moskva', UZS: 'Toshkent', KZT: 'Olmaota', TJS: 'Dushanbe' },
  signs: { RUB: '₽', UZS: 'soʻm', KZT: '₸', TJS: 'somoni' },
}
