"""Chinese family names: which there are, how they are read, and written outside Pinyin."""

from __future__ import annotations

import itertools
from functools import lru_cache

from metasearch.bib.chinese.characters import simplified
from metasearch.bib.chinese.syllables import SCHEMES, Scheme, readings, spellings

#: Characters of a family name.
LONGEST = 2
# The Hundred Family Surnames, and those common today that are not among them. Whoever's name begins
# with another character may be Japanese or a body.
_SINGLE = "".join(
    """
    赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞
    任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏
    成戴谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫经房裘
    缪干解应宗丁宣贲邓郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁荀羊於惠甄曲家封芮羿储靳汲邴糜松井段富巫乌焦巴弓牧隗山谷
    车侯宓蓬全郗班仰秋仲伊宫宁仇栾暴甘钭厉戎祖武符刘景詹束龙叶幸司韶郜黎蓟薄印宿白怀蒲邰从鄂索咸籍赖卓蔺屠蒙池乔阴胥能
    苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍郤璩桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾
    终暨居衡步都耿满弘匡国文寇广禄阙东欧殳沃利蔚越夔隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾毋沙乜养鞠须丰巢关蒯相查后荆红
    游竺权逯盖益桓公肖付闫代丘覃冼区尧岳帅亓仝佟佴修兰冮初南卿及回图圣坚塔士夕母官密展库律德忻战揭撒敬斯旷曙朴来栗植楼
    楚檀欣牟由皇睢税老苑英藏虎补要诗谌贠辜达郇闪阳陀随雒青鞏音鹿黑麦邸邝占但信况刑原仉伦佘操矫苟晋鄢鄞郄隋谯钦锁闭问雪
    顿衣衷言诚豆豹贵赏辉运迟员塞寻扎拉拜巨芦笪粟缑萨虢冒铁降雅露靖骞端户亢
""".split()
)
_COMPOUND = """
    欧阳 司马 诸葛 上官 夏侯 皇甫 尉迟 公孙 慕容 令狐 长孙 宇文 司徒 司空 东方 独孤 南宫 端木 轩辕
    申屠 钟离 闻人 公羊 澹台 公冶 宗政 濮阳 淳于 单于 太叔 仲孙 百里 东郭 南门 呼延 赫连 拓跋 完颜
    万俟 鲜于 闾丘 司寇 颛孙 巫马 公西 漆雕 乐正 宰父 谷梁 段干 东门 左丘 西门 梁丘 羊舌 微生 叶赫
    纳兰 耶律 达奚 哥舒 张简 范姜 张廖 亓官 子车 第五
""".split()

# Names that are read in one way only, or in another than the same character elsewhere.
_READ_AS = dict(
    pair.split("=")
    for pair in """
    单=shan 曾=zeng 仇=qiu 解=xie 区=ou 查=zha 任=ren 华=hua 朴=piao,pu 盖=ge,gai 乐=yue,le
    尉=wei,yu 缪=miao 员=yun 折=she 覃=qin,tan 谌=chen,shen 翟=zhai,di 祭=zhai,ji 牟=mou,mu
    隗=wei,kui 勾=gou 郇=xun,huan 过=guo 干=gan 葛=ge 费=fei,bi 车=che 宿=su 应=ying 盛=sheng 能=nai
    柏=bai,bo 薄=bo 郗=xi,chi 沈=shen 褚=chu 殷=yin 宁=ning 冯=feng 谷=gu 种=chong 都=du 瞿=qu 陆=lu
    贲=ben 黑=he,hei 石=shi 万=wan 贾=jia 洗=xian,xi 冼=xian 卜=bu 行=xing 强=qiang 宓=mi,fu
    降=xiang 相=xiang 藏=zang 乜=nie 长=zhang 仝=tong 召=shao 燕=yan 那=na 纪=ji 齐=qi 许=xu 余=yu
    汤=tang 周=zhou 陈=chen 于=yu 叶=ye 尹=yin 伯=bo 广=guang 合=he 谭=tan 钟=zhong 郑=zheng 蔡=cai
    丁=ding 吕=lv 温=wen 卓=zhuo 施=shi 郝=hao 凌=ling 牛=niu 秦=qin 江=jiang 尚=shang 夏=xia 阎=yan
    叶赫=ye.he 尉迟=yu.chi 万俟=mo.qi 单于=chan.yu 令狐=ling.hu 长孙=zhang.sun 澹台=tan.tai
    亓官=qi.guan 子车=zi.ju 濮阳=pu.yang 宰父=zai.fu 乐正=yue.zheng
""".split()
)

# Cantonese, Hokkien, Korean and older spellings: with them it is not clear from the given name who
# it is.
_ELSEWHERE = {
    char: frozenset(spelled.split(","))
    for char, _, spelled in (
        pair.partition("=")
        for pair in """
        陈=chan,chern,chin,jin,tan,tran 黄=hoang,hong,huynh,hwang,ng,oei,ooi,wee,wong
        李=lee,lie,ly,rhee,yi 王=heng,ong,wang,wong 张=chang,cheong,cheung,chong,jang,teo,truong
        刘=lau,lieu,liew,liou,low,luu,ryu,yoo,yu 林=im,lam,lim,rim 吴=goh,ng,ngo,o,oh,wu
        梁=leong,leung,luong,neo,ryang,yang 郑=chang,cheng,chung,jeong,jung,tay,teh,trinh
        何=ha,ho,hoh 谢=cheah,chia,sa,tse 蔡=chae,chai,choi,choy,chua,tsay,tsoi
        许=heo,hsu,hue,hui,hur,khoo,koh 曾=chan,jeung,tjan,tsang,tseng,tzeng
        邓=dang,deng,deung,tang,teng 冯=foong,fung,phung,pung 叶=diep,ip,yap,yeh,yip
        苏=saw,so,soh,su 周=chau,chew,chiu,chow,joo,jou,ju 杨=duong,ieong,yang,yeo,yeung,yong,young
        朱=choo,chu,chuh,gee,joo,ju 罗=la,law,lo,loh,na,ra 郭=gwak,kok,kuo,kwak,kwok,quach,quek
        高=go,kao,ko,koh 胡=ho,hoo,oh,ow,woo,wu 徐=chee,chui,seo,suh,tsu,tsui,tu
        孙=sohn,son,soon,suen,sun 马=beh,ma,mah 余=yee,yeo,yu,yue 赵=chao,chew,chiu,cho,jeu,jo,trieu
        吕=leu,loo,lu,lui,lyu,yeo 潘=ban,pan,phan,phua,poon 卢=lo,loo,lu,no,noh,ro,roh
        姚=yao,yeow,yiu,yo 钟=cheong,chung,jong,tjong 姜=chiang,gang,geung,kang,keung
        江=chiang,gang,kang,kong 方=bang,fong,hong,png 石=chioh,sek,seok,shek 戴=dai,tai,tay,tye
        洪=ang,hong,hung 崔=choe,choi,chui,tsui 金=gim,kam,kim,king 韩=hahn,han,hang,hon
        文=man,moon,mun 丁=chung,ding,jeong,jung,ting 尹=wan,yoon,yun 申=shin,sin 安=ahn,an,on
        宋=song,soong,sung 全=chuen,chun,jeon 权=gwon,kwon 白=baek,pai,paik,pak 朴=bak,pak,park
        禹=woo,wu 南=lam,nam 柳=lau,ryu,yoo,yu 裴=bae,pae,pui 任=im,jen,lim,rim,yam,yum
        沈=shen,shim,shum,sim,sum 谭=dam,tam,tan,tham 廖=leow,liao,liew,liu 甘=gan,kam,kan
        梅=mei,moy,mui 严=eom,um,yen,yim 欧=au,auyeung,ou,ow 区=au,ow
        欧阳=auyeung,auyoung,owyang,owyong 司徒=seto,situ,szeto 邱=chieu,chiu,hew,kew,khoo,koo,yau
        侯=hau,haw,hou,how 黎=lai,lay,le 关=kuan,kwan,quan 翁=ang,ong,yung 温=wan,wen,wun
        龙=long,loong,lung 骆=lok,loke 莫=mo,mok 麦=mai,mak 汤=tang,thong,tong 唐=dang,tang,tong
        汪=ong,wang,wong 夏=ha,har,hsia 袁=won,yuan,yuen 顾=goo,koo,ku 章=chang,cheong,cheung,jang
        阮=nguyen,yuen 詹=chan,chim,jim 游=yau,yew,yu
    """.split()
    )
}


@lru_cache(maxsize=1)
def _known() -> tuple[frozenset[str], frozenset[str]]:
    return (
        frozenset(_SINGLE) | frozenset(simplified(_SINGLE)),
        frozenset(_COMPOUND) | frozenset(map(simplified, _COMPOUND)),
    )


def is_surname(text: str) -> bool:
    """Whether this is a Chinese family name of one or two characters, in any form."""
    return bool(text) and (
        text in _known()[len(text) > 1] or simplified(text) in _known()[len(text) > 1]
    )


@lru_cache(maxsize=1_000)
def surname_spellings(surname: str, scheme: Scheme = "pinyin") -> frozenset[str]:
    """How a family name is written in Latin letters, as one word: "单" -> {"shan"}, "欧阳" ->
    {"ouyang"}.
    """
    if len(surname) > LONGEST:  # each character is read in several ways, and each goes with each
        return frozenset()
    read = _READ_AS.get(surname) or _READ_AS.get(simplified(surname))
    if read:
        return frozenset(
            "".join(written)
            for one in read.split(",")
            for written in itertools.product(
                *[spellings(syllable, scheme) for syllable in one.split(".")]
            )
        )
    each = [
        surname_spellings(char, scheme)
        if len(surname) > 1 and char in _READ_AS
        else readings(char, scheme)
        for char in surname
    ]
    return frozenset(map("".join, itertools.product(*each)))


def spelled_elsewhere(surname: str) -> frozenset[str]:
    """Its Cantonese, Hokkien, Korean and older spellings, where they are known."""
    return _ELSEWHERE.get(surname) or _ELSEWHERE.get(simplified(surname)) or frozenset()


@lru_cache(maxsize=1)
def latin_surnames() -> frozenset[str]:
    """Every family name in Latin letters that this module can read, in both schemes."""
    names = [*dict.fromkeys(_SINGLE), *_COMPOUND]
    return frozenset().union(
        *[surname_spellings(name, scheme) for name in names for scheme in SCHEMES]
    )
