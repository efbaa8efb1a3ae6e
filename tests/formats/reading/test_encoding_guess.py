"""Encodings that nothing names: what a file of works in each language is taken for, by the words
that are not ASCII in it.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

import pytest

from metasearch.formats.reading.encodings import decode
from tests.cases import each

#: Encoding -> names and titles that no work has, in languages that are written in it.
WORKS: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "gb18030": [
        (
            ("张晓明", "李建国", "欧阳文静", "王丽华", "陈思远"),
            (
                "城市湿地公园对鸟类多样性的影响研究",
                "基于深度学习的古籍文字识别方法",
                "高校图书馆读者服务质量评价",
                "茶园土壤重金属含量及其风险评估",
                "儿童哮喘管理的随机对照试验",
            ),
        ),
    ],
    "big5": [
        (
            ("陳怡君", "林志豪", "歐陽美玲", "黃淑芬", "張家銘"),
            (
                "臺灣大學圖書館讀者服務滿意度之研究",
                "國小學童閱讀動機與學習成就之關係",
                "都市綠地對熱島效應的影響",
                "護理人員工作壓力與離職傾向",
                "數位典藏檔案的保存策略",
            ),
        ),
    ],
    "shift_jis": [
        (
            ("佐藤健一", "鈴木花子", "高橋翔太", "渡辺美咲", "伊藤直樹"),
            (
                "地域における高齢者の健康づくりに関する研究",
                "深層学習を用いた手書き文字の認識",
                "大学図書館の利用とサービスの評価",
                "テレワークが生活時間に与える影響",
                "カキの葉に含まれるポリフェノールの定量",
            ),
        ),
    ],
    "euc_jp": [
        (
            ("佐藤健一", "鈴木花子", "高橋翔太", "渡辺美咲", "伊藤直樹"),
            (
                "地域における高齢者の健康づくりに関する研究",
                "深層学習を用いた手書き文字の認識",
                "大学図書館の利用とサービスの評価",
                "テレワークが生活時間に与える影響",
                "カキの葉に含まれるポリフェノールの定量",
            ),
        ),
    ],
    "euc_kr": [
        (
            ("김민수", "이서연", "박지훈", "최은영", "정하늘"),
            (
                "노인의 건강 증진 프로그램에 관한 연구",
                "한국어 문장의 자동 분석 방법",
                "대학 도서관 이용자 만족도 조사",
                "도시 숲이 기온에 미치는 영향",
                "간호사의 직무 스트레스와 이직 의도",
            ),
        ),
    ],
    "cp1250": [
        (
            (
                "Wójcik, Małgorzata",
                "Wiśniewski, Łukasz",
                "Dąbrowska, Elżbieta",
                "Kozłowski, Paweł",
                "Gąsior, Jędrzej",
            ),
            (
                "Wpływ zieleni miejskiej na życie mieszkańców",
                "Ocena jakości usług bibliotek w dużych miastach",
                "Rośliny łąkowe i ich znaczenie dla pszczół",
                "Zarządzanie wodą w świetle zmian klimatu",
                "Żółte światło i sen: badanie przekrojowe",
            ),
        ),
        (
            (
                "Dvořák, Jiří",
                "Novotná, Kateřina",
                "Černý, Ondřej",
                "Procházka, Tomáš",
                "Říhová, Žaneta",
            ),
            (
                "Vliv městské zeleně na zdraví obyvatel",
                "Hodnocení kvality služeb vědeckých knihoven",
                "Luční rostliny a jejich význam pro včely",
                "Hospodaření s vodou při změně klimatu",
                "Žluté světlo a spánek: průřezová studie",
            ),
        ),
        (
            ("Szőke, Gergő", "Tóth, Péter", "Kővári, Ildikó", "Fűzi, Zsófia", "Horváth, Gábor"),
            (
                "A városi zöldfelületek hatása az egészségre",
                "Könyvtári szolgáltatások minőségének értékelése",
                "Réti növények és jelentőségük a méhek számára",
                "Vízgazdálkodás az éghajlatváltozás idején",
                "Az időskori tüdőgyulladás megelőzése",
            ),
        ),
        (
            ("Žagar, Špela", "Kovačič, Matjaž", "Čeh, Urška", "Kralj, Boštjan", "Šušteršič, Janž"),
            (
                "Vpliv mestnih zelenih površin na zdravje",
                "Ocena kakovosti storitev knjižnic",
                "Travniške rastline in pomen za čebele",
                "Upravljanje voda ob podnebnih spremembah",
                "Razširjenost bolečine v križu pri učiteljih",
            ),
        ),
        (
            (
                "Ionescu, Ştefan",
                "Vlădescu, Ruxandra",
                "Ţurcanu, Mihai",
                "Bălan, Cătălina",
                "Dănilă, Răzvan",
            ),
            (
                "Influenţa spaţiilor verzi asupra sănătăţii",
                "Evaluarea calităţii serviciilor în biblioteci",
                "Plante de păşune şi însemnătatea lor",
                "Gospodărirea apelor şi schimbările climatice",
                "Îngrijirea pacienţilor vârstnici în spitale",
            ),
        ),
    ],
    "cp1251": [
        (
            (
                "Иванова, Мария",
                "Кузнецов, Дмитрий",
                "Соколова, Е. А.",
                "Щербаков, П. Н.",
                "Ефимов, Юрий",
            ),
            (
                "Влияние городских парков на здоровье населения",
                "Оценка качества услуг научных библиотек",
                "Луговые растения и их значение для пчёл",
                "Управление водными ресурсами при изменении климата",
                "Распространённость боли в спине у учителей",
            ),
        ),
        (
            (
                "Шевчук, Олексій",
                "Коваленко, Ірина",
                "Гаврилюк, Юлія",
                "Бойко, Єлизавета",
                "Лисенко, Андрій",
            ),
            (
                "Вплив міських парків на здоров'я населення",
                "Оцінка якості послуг наукових бібліотек",
                "Лучні рослини та їх значення для бджіл",
                "Управління водними ресурсами за зміни клімату",
                "Поширеність болю у спині серед вчителів",
            ),
        ),
        (
            (
                "Георгиев, Иван",
                "Петрова, Десислава",
                "Стоянов, Христо",
                "Ангелова, Цветелина",
                "Димитров, Йордан",
            ),
            (
                "Влияние на градските паркове върху здравето",
                "Оценка на качеството на услугите в библиотеките",
                "Ливадни растения и значението им за пчелите",
                "Управление на водите при промени в климата",
                "Разпространение на болката в гърба при учители",
            ),
        ),
    ],
    "koi8_r": [
        (
            (
                "Иванова, Мария",
                "Кузнецов, Дмитрий",
                "Соколова, Е. А.",
                "Щербаков, П. Н.",
                "Ефимов, Юрий",
            ),
            (
                "Влияние городских парков на здоровье населения",
                "Оценка качества услуг научных библиотек",
                "Луговые растения и их значение для пчёл",
                "Управление водными ресурсами при изменении климата",
                "Распространённость боли в спине у учителей",
            ),
        ),
    ],
    "koi8_u": [
        (
            (
                "Шевчук, Олексій",
                "Коваленко, Ірина",
                "Гаврилюк, Юлія",
                "Бойко, Єлизавета",
                "Лисенко, Андрій",
            ),
            (
                "Вплив міських парків на здоров'я населення",
                "Оцінка якості послуг наукових бібліотек",
                "Лучні рослини та їх значення для бджіл",
                "Управління водними ресурсами за зміни клімату",
                "Поширеність болю у спині серед вчителів",
            ),
        ),
    ],
    "cp1253": [
        (
            (
                "Παπαδόπουλος, Γιώργος",
                "Νικολάου, Ελένη",
                "Γεωργίου, Άννα",
                "Κωνσταντίνου, Πέτρος",
                "Ιωάννου, Μαρία",
            ),
            (
                "Η επίδραση των αστικών πάρκων στην υγεία",
                "Αξιολόγηση της ποιότητας υπηρεσιών βιβλιοθηκών",
                "Τα φυτά των λιβαδιών και οι μέλισσες",
                "Διαχείριση υδάτων και κλιματική αλλαγή",
                "Ο πόνος στη μέση των εκπαιδευτικών",
            ),
        ),
    ],
    "cp1254": [
        (
            ("Yılmaz, Ayşe", "Çağlar, Gökhan", "Öztürk, İsmail", "Şahin, Gülşen", "Doğan, Uğur"),
            (
                "Kent parklarının sağlık üzerindeki etkisi",
                "Kütüphane hizmetlerinin değerlendirilmesi",
                "Çayır bitkileri ve arılar için önemi",
                "İklim değişikliğinde su yönetimi",
                "Öğretmenlerde bel ağrısı sıklığı",
            ),
        ),
    ],
    "cp1252": [
        (
            ("Müller, Jörg", "Großmann, Käthe", "Weiß, Jürgen", "Schröder, Anja", "Böhm, Günther"),
            (
                "Einfluss städtischer Grünflächen auf die Gesundheit",
                "Bewertung der Dienste großer Bibliotheken",
                "Wiesenpflanzen und ihr Nutzen für Bienen",
                "Über die Wasserwirtschaft im Klimawandel",
                "Rückenschmerzen bei Lehrkräften",
            ),
        ),
        (
            (
                "Lefèvre, François",
                "Dupré, Hélène",
                "Gauthier, Cécile",
                "Château, Benoît",
                "Garçon, Noël",
            ),
            (
                "L’effet des espaces verts sur la santé",
                "Évaluation de la qualité des bibliothèques",
                "Les plantes des prés et les abeilles",
                "La gestion de l’eau à l’ère du climat",
                "Étude du mal de dos chez les élèves",
            ),
        ),
        (
            ("Muñoz, José", "García, María", "Peña, Íñigo", "Rodríguez, Andrés", "Ibáñez, Begoña"),
            (
                "El efecto de las áreas verdes en la salud",
                "Evaluación de la calidad de bibliotecas",
                "Plantas de pradera y su función",
                "La gestión del agua y el clima: ¿qué sabemos?",
                "Dolor de espalda en niños españoles",
            ),
        ),
        (
            (
                "Conceição, João",
                "Magalhães, Inês",
                "Guimarães, Luís",
                "Brandão, Cecília",
                "Araújo, Antônio",
            ),
            (
                "O efeito das áreas verdes na saúde",
                "Avaliação da qualidade das bibliotecas",
                "Plantas de pastagem e a polinização",
                "Gestão da água e alterações climáticas",
                "Dor lombar em professores: um estudo de prevalência",
            ),
        ),
        (
            (
                "Sjöberg, Åsa",
                "Håkansson, Björn",
                "Öberg, Märta",
                "Lindström, Pär",
                "Ångström, Göran",
            ),
            (
                "Stadens gröna ytor och hälsan",
                "Utvärdering av bibliotekens tjänster",
                "Ängens växter och bin: en översikt",
                "Vattenförvaltning och klimatförändringar",
                "Ryggvärk hos lärare",
            ),
        ),
        (
            ("Sørensen, Bjørn", "Nygård, Åse", "Kjær, Søren", "Østergaard, Mette", "Bødker, Anne"),
            (
                "Byens grønne områder og sundhed",
                "Vurdering af bibliotekernes tjenester",
                "Engens planter og bierne",
                "Vandforvaltning under klimaændringer",
                "Rygsmerter hos lærere",
            ),
        ),
        (
            ("Brontë, Emily", "O’Neill, Siân", "Smith, John", "Café, René", "Zoë, Ann"),
            (
                "Children’s sleep – a cohort study",
                "“Green” spaces and health",
                "A naïve model of libraries",
                "Meadow plants: 5 µg doses at 20 °C",
                "Role of β… in déjà vu",
            ),
        ),
    ],
}


def _ris(names: Iterable[str], titles: Iterable[str]) -> str:
    return "".join(
        f"TY  - JOUR\r\nAU  - {name}\r\nAU  - Smith, John\r\nTI  - {title}\r\nPY  - 2019\r\n"
        f"UR  - https://example.org/article/{number}\r\nAB  - Background and aims.\r\nER  - \r\n"
        for number, (name, title) in enumerate(zip(names, titles, strict=False))
    )


def _bibtex(names: Iterable[str], titles: Iterable[str]) -> str:
    return "".join(
        f"@article{{key{number},\n  author = {{{name} and Smith, John}},\n  title = {{{title}}},\n"
        "  journal = {Journal of Invented Studies},\n  year = {2019}\n}\n"
        for number, (name, title) in enumerate(zip(names, titles, strict=False))
    )


def _files(encoding: str) -> Iterator[tuple[int, str]]:
    """Works in a file, 0 for one of which only a name is foreign, and its text."""
    for names, titles in WORKS[encoding]:
        for form in (_ris, _bibtex):
            for number in range(5):
                yield 0, form(names[number:], ["A title in English"])
                yield 1, form(names[number:][:1], titles[number:])
            for number in range(4):
                yield 2, form(names[number:][:2], titles[number:])
            yield 5, form(names, titles)
            yield 20, form(names * 4, titles[::-1] * 4)


def _is_read(text: str, encoding: str) -> bool:
    data = text.encode(encoding, "ignore")
    return decode(data, "a.txt").text == data.decode(encoding)


def _table() -> dict[str, dict[int, tuple[int, int]]]:
    """Encoding -> works in a file -> how many of the files are read right, and how many there
    are.
    """
    found = {}
    for encoding in WORKS:
        files = [it for it in _files(encoding) if not it[1].encode(encoding, "ignore").isascii()]
        right = Counter(size for size, text in files if _is_read(text, encoding))
        every = Counter(size for size, _ in files)
        found[encoding] = {size: (right[size], every[size]) for size in every}
    return found


def test_the_encoding_of_works_in_any_language_is_guessed() -> None:
    """Each file of five records, nearly all of two, most of a single name."""
    table = _table()
    shown = "\n".join(
        f"{encoding:10}" + "".join(f"{right:5}/{every:<3}" for right, every in row.values())
        for encoding, row in table.items()
    )
    sums = {
        size: tuple(map(sum, zip(*(row[size] for row in table.values()), strict=True)))
        for size in (0, 1, 2, 5, 20)
    }

    for size, least in ((0, 0.85), (1, 0.97), (2, 0.97), (5, 1), (20, 1)):
        right, every = sums[size]
        assert right >= least * every, f"files of {size}: {right} of {every}\n{shown}"


@each("encoding", [it for it in WORKS if it not in ("cp1250", "cp1254")])
@each("damage", [b"\xff", b"\x80", b"\r\n", b""])
def test_a_damaged_character_costs_no_other(encoding: str, damage: bytes) -> None:
    """A byte that is lost, or too many, in one of twenty records."""
    names, titles = WORKS[encoding][0]
    data = _ris(names * 4, titles * 4).encode(encoding)
    place = next(at for at in range(len(data) // 2, len(data)) if data[at] > 0x7F)
    decoded = decode(data[:place] + damage + data[place + 1 :], "a.txt")

    assert sum(decoded.text.count(title) for title in titles) >= 19


def test_a_few_western_letters_are_windows_1252() -> None:
    """What two encodings read alike bears the name of the common one."""
    decoded = decode("AU  - Müller, J.\nTI  - A title".encode("cp1252"), "a.txt")

    assert decoded.encoding == "cp1252"
    assert "read as Windows-1252; --encoding overrules it" in decoded.problems[0].message


@pytest.mark.slow
def test_the_detector_is_loaded_for_a_file_that_is_no_utf_8_alone() -> None:
    """A search, and a file in UTF-8, do without."""
    script = (
        "import sys, metasearch, metasearch.cli\n"
        "from metasearch.formats.reading.encodings import decode\n"
        "decode('TI  - é'.encode(), 'a'); assert 'chardet' not in sys.modules\n"
        "decode('TI  - é'.encode('cp1252'), 'a'); assert 'chardet' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
